import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { some } from '../support/run/cases.ts';
import { writtenLines } from '../support/run/output.ts';
import { useDrive } from '../support/servers/drive.ts';
import { failureOf, useQuire } from './use-quire.ts';

const drive = await useDrive();
const quire = await useQuire(drive);
drive.put('in/source.pdf', 'a scan');
const [folderId, sourceId] = [await drive.idOf('in'), await drive.idOf('source.pdf')];

const puts = '/upload/';
const noWait = { 'retry-after': '0' };

const newResult = async (name: string) => ({
  id: await quire.reserveFileId(),
  folderId,
  name,
  mimeType: 'text/markdown',
  sourceId,
});
type Result = Awaited<ReturnType<typeof newResult>>;

const write = (result: Result, content: string) =>
  quire.writeResult(result, { body: Readable.from([content]), bytes: Buffer.byteLength(content) });

const filesNamed = async (name: string) => {
  const { files } = await quire.listFolder(folderId, [folderId]);
  return files.filter((file) => file.name === name);
};

async function read(id: string): Promise<Buffer> {
  const { body } = await quire.openContent(await quire.findReadableFile(id, [folderId]));
  return buffer(body);
}

describe('a result', () => {
  it.each([
    ['short.md', '# Ein Ergebnis: ümläut'],
    ['empty.md', ''],
  ])('%s lies beside its source, known as ours', async (name, content) => {
    const result = await newResult(name);

    await write(result, content);

    const [file, ...others] = await filesNamed(name);
    expect(others).toEqual([]);
    expect(file).toMatchObject({
      id: result.id,
      parents: [folderId],
      mimeType: 'text/markdown',
      appProperties: { quire: 'result', quireSource: sourceId },
    });
    expect(file && quire.isOwnResult(file)).toBe(true);
    expect(String(await read(result.id))).toBe(content);
  });

  it('written again by a worker that did not know of the first time is one file', async () => {
    const result = await newResult('again.md');

    await write(result, 'the first time');
    await write(result, 'the second time, and longer');

    expect(await filesNamed('again.md')).toMatchObject([{ id: result.id, parents: [folderId] }]);
    expect(String(await read(result.id))).toBe('the second time, and longer');
  });

  it.each([
    ['the beginning', 'POST'],
    ['the end', 'PUT'],
  ])('is one file where the answer to %s was lost', async (_, method) => {
    const result = await newResult(`lost-${method}.md`);
    await drive.fault({ match: { method, path: puts }, afterDone: true });

    await write(result, 'written once');

    expect(await filesNamed(result.name)).toMatchObject([{ id: result.id }]);
    expect(String(await read(result.id))).toBe('written once');
  });

  it('is written after throttles and faults', async () => {
    const result = await newResult('throttled.md');
    await drive.fault(
      { match: { method: 'POST', path: puts }, reason: 'userRateLimitExceeded', headers: noWait },
      { match: { method: 'PUT', path: puts }, status: 503, headers: noWait },
    );

    await write(result, 'at last');

    expect(String(await read(result.id))).toBe('at last');
  });

  it.each([
    ['POST', 'storageQuotaExceeded', 'drive_quota_exceeded', 'a service account owns none'],
    ['PUT', 'storageQuotaExceeded', 'drive_quota_exceeded', 'shared drive'],
    ['POST', 'insufficientFilePermissions', 'drive_forbidden', 'gserviceaccount.com as editor'],
  ])('that fails at %s with %s fails for good', async (method, reason, code, said) => {
    const result = await newResult('never.md');
    const before = await drive.requests();
    await drive.fault({ match: { method, path: puts }, reason });

    const error = await failureOf(write(result, 'no room'));

    const after = await drive.requests();
    const kind = 'POST /upload/drive/v3/files?uploadType=resumable';
    expect(error).toMatchObject({ statusCode: 403, code, retryAfterSeconds: null });
    expect((error as Error).message).toContain(said);
    expect((after[kind] ?? 0) - (before[kind] ?? 0)).toBe(1);
    expect(await filesNamed('never.md')).toEqual([]);
  });

  it('for a folder that is gone fails for good', async () => {
    const result = { ...(await newResult('lost.md')), folderId: `1${'x'.repeat(32)}` };

    const error = await failureOf(write(result, 'nowhere'));

    expect(error).toMatchObject({
      statusCode: 403,
      code: 'drive_forbidden',
      message: expect.stringContaining(drive.serviceAccount.client_email),
    });
  });

  it.each([
    ['shorter', 9, 'too early'],
    ['longer', 3, 'longer'],
  ])('whose content is %s than was said is not written', async (_, bytes, said) => {
    const result = await newResult('wrong.md');
    const body = Readable.from(['12', '3456']);

    const error = await failureOf(quire.writeResult(result, { body, bytes }));

    expect((error as Error).message).toContain(said);
    expect(body.destroyed).toBe(true);
    expect(await filesNamed('wrong.md')).toEqual([]);
  });

  it('whose content breaks off fails as it did', async () => {
    const broken = async function* () {
      yield 'the first half';
      throw new Error('The store hung up');
    };
    const body = Readable.from(broken());

    const error = await failureOf(
      quire.writeResult(await newResult('broken.md'), { body, bytes: 100 }),
    );

    expect(error).toMatchObject({ message: 'The store hung up' });
  });
});

describe('a result of 20 MB', () => {
  const content = randomBytes(20 * 1024 * 1024);
  const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');
  const pieces = () => Readable.from(cutInto(content, 100_000));

  it.each(
    some(1, [
      ['a chunk that was cut', { cutAfterBytes: 3_000_000 }],
      ['a chunk whose answer was lost', { afterDone: true }],
      ['a chunk that was refused', { status: 503, headers: noWait }],
      ['a token that ran out', { status: 401 }],
    ]),
  )('goes on after %s, reading its source once', { tags: 'exhaustive' }, async (_, fault) => {
    const result = await newResult('large.bin');
    const open = vi.fn(pieces);
    await drive.fault({ match: { method: 'PUT', path: puts }, ...fault });

    await quire.writeResult(result, { body: open, bytes: content.length });

    expect(open).toHaveBeenCalledTimes(1);
    expect(md5(await read(result.id))).toBe(md5(content));
  });

  it('overwrites what an earlier try left', async () => {
    const result = await newResult('overwritten.bin');
    await write(result, 'an earlier try');

    await quire.writeResult(result, { body: pieces(), bytes: content.length });

    expect(md5(await read(result.id))).toBe(md5(content));
  });
});

function* cutInto(content: Buffer, bytes: number) {
  for (let start = 0; start < content.length; start += bytes) {
    yield content.subarray(start, start + bytes);
  }
}

describe('a mark on a source', () => {
  const find = () => quire.findReadableFile(sourceId, [folderId]);

  it('is added to those it has, and changes nothing else', async () => {
    const before = await find();

    await quire.markSource(sourceId, { quireJob: 'job-1' });
    await quire.markSource(sourceId, { quireState: 'done' });

    expect(await find()).toEqual({
      ...before,
      appProperties: { quireJob: 'job-1', quireState: 'done' },
    });
  });

  it('is made after a throttle', async () => {
    const match = { method: 'PATCH', path: sourceId };
    await drive.fault({ match, reason: 'userRateLimitExceeded', headers: noWait });

    await quire.markSource(sourceId, { quireJob: 'job-2' });

    expect((await find()).appProperties).toMatchObject({ quireJob: 'job-2' });
  });

  it.each(['PATCH', 'GET'])('that %s may not make is a log line', async (method) => {
    const before = await find();
    const match = { method, path: sourceId };
    await drive.fault({ match, reason: 'insufficientFilePermissions' });

    await quire.markSource(sourceId, { quireJob: 'job-3' });

    expect(await find()).toEqual(before);
    expect(writtenLines().filter((line) => line.includes('drive'))).toEqual([
      expect.stringContaining(sourceId),
    ]);
  });
});
