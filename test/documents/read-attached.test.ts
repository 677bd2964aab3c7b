import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type {
  AttachedContent,
  AttachedFile,
} from '../../shared/documents/attached/attached-file.ts';
import { readAttached } from '../../shared/documents/attached/read-attached.ts';
import type { CompositeKind } from '../../shared/documents/kind.ts';
import { extractParts } from '../../shared/documents/parts/extraction.ts';
import { epubOf, rtfOf } from '../support/fixtures/common-documents.ts';
import { archiveOf, docxOf, wordParagraph } from '../support/fixtures/office-files.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { rawPdf } from '../support/fixtures/poison.ts';
import { greyJpeg, words } from '../support/fixtures/small-documents.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { busyFor } from './busy-processes.ts';
import { linesPage } from './lines-page.ts';

const folder = useFolder();
/** What the server of objects sends. */
let object: Uint8Array | undefined;
const server = createServer((_request, response) => {
  if (object) response.end(object);
});
let logged: string[] = [];

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  process.env['AWS_ENDPOINT_URL_S3'] = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  delete process.env['AWS_ENDPOINT_URL_S3'];
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  logged = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => Boolean(logged.push(`${line}`)));
  return () => vi.restoreAllMocks();
});

const within = (bytes: Uint8Array | string): AttachedContent => ({
  base64: Buffer.from(bytes).toString('base64'),
});

function behindLink(bytes: Uint8Array | undefined): AttachedContent {
  object = bytes;
  return { url: `${process.env['AWS_ENDPOINT_URL_S3']}/bucket/object?X-Amz-Signature=secret` };
}

const attached = (
  name: string,
  content: AttachedContent,
  limits: Partial<AttachedFile['limits']> = {},
): AttachedFile => ({
  ...{ keyId: 'key_1', name, mimeType: '', content },
  limits: { characters: 1_000_000, jsonBytes: 5_000_000, longer: 'refused', ...limits },
});

const tooSlow = {
  unreadable: "The document can't be read: it takes too long to read.",
  code: 'unreadable_document',
};

it.each<[string, string, () => AttachedContent]>([
  ['a PDF whose pages take long', 'a.pdf', () => within(slowPdf())],
  [
    'a document that is taken apart for long',
    'a.rtf',
    () => within(rtfOf('{a}'.repeat(3_000_000))),
  ],
  ['a document that does not come', 'a.pdf', () => behindLink(undefined)],
])(
  '%s is given up when the time for all of it is up, and the next file is read',
  async (_, name, content) => {
    const slow = attached(name, content(), { ms: 500 });

    const reading = await readAttached(slow);

    expect(reading).toEqual(tooSlow);
    expect(await readAttached(attached('b.rtf', within(rtfOf('next'))))).toEqual({ text: 'next' });
  },
);

it('the time for a file begins with its turn, which it may wait for as long as the function has', {
  tags: 'exhaustive',
}, async () => {
  const slow = attached('a.rtf', within(rtfOf('{a}'.repeat(12_000_000))), { ms: 4_000 });
  const next = attached('b.rtf', within(rtfOf('next')), { ms: 3_000 });

  const reading = readAttached(slow);
  await busyFor(0.5, 'take-apart-process');
  const [given, read, late] = await Promise.allSettled([
    reading,
    readAttached(next),
    readAttached(next, 1_000),
  ]);

  expect(given).toMatchObject({ value: tooSlow });
  expect(read).toMatchObject({ value: { text: 'next' } });
  expect(late).toMatchObject({ reason: { name: 'TimeoutError' } });
});

/** A hundred pages that take a twentieth of a second each. */
const slowPdf = () =>
  rawPdf(
    Array.from({ length: 100 }, () => linesPage(2_000)),
    [600, 12_000],
  );

it('a document behind a link is read as one within the request', async () => {
  const bytes = archiveOf({ 'a.txt': 'within' });

  const readings = [
    await readAttached(attached('a.zip', within(bytes))),
    await readAttached(attached('a.zip', behindLink(bytes))),
  ];

  expect(readings).toEqual([{ text: '--- a.txt ---\nwithin' }, { text: '--- a.txt ---\nwithin' }]);
});

it('a document of more than 50 MB behind a link is refused', async () => {
  const content = behindLink(new Uint8Array(50 * 1024 * 1024 + 1));

  const reading = await readAttached(attached('a.pdf', content));

  expect(reading).toMatchObject({
    unreadable: "The document can't be read: it is larger than 50 MB.",
  });
});

it('a refusal has its code, and a log says for whom a document was read, and neither link nor words of it', async () => {
  const pictures = await pdfOf([{ scan: await greyJpeg(120) }]);

  const scan = await readAttached(attached('private.pdf', behindLink(pictures)));
  const lost = await readAttached(
    attached('private.pdf', { url: 'http://127.0.0.1:1/object?X-Amz-Signature=secret' }),
  );

  expect(scan).toMatchObject({ code: 'no_text' });
  expect(lost).toEqual({ unreadable: "it can't be read" });
  const lines = logged.map((line) => JSON.parse(line));
  // What another test left under way may log too.
  expect(lines.filter(({ key_id }) => key_id === 'key_1')).toMatchObject([
    { level: 'info', message: 'document read', key_id: 'key_1', bytes: pictures.length },
    { level: 'error', message: 'document broke its reader', key_id: 'key_1' },
    { level: 'info', message: 'document read', key_id: 'key_1' },
  ]);
  expect(logged.join()).not.toMatch(/secret|private/);
});

describe('a text that is longer than wanted', () => {
  const long = { 'a.txt': 'ab '.repeat(50), 'b.txt': 'cd' };

  it('is refused', async () => {
    const whole = attached('a.zip', within(archiveOf(long)), { characters: 100 });
    const json = attached('a.txt', within('"'.repeat(100)), { jsonBytes: 100 });

    expect(await readAttached(whole)).toMatchObject({
      unreadable: expect.stringContaining('long'),
    });
    expect(await readAttached(json)).toMatchObject({
      unreadable: 'it has more text than a message may',
    });
  });

  it('is cut where that is asked for, and no character in two', async () => {
    const limits = { characters: 100, longer: 'cut' } as const;

    const text = await readAttached(attached('a.zip', within(archiveOf(long)), limits));
    const pairs = await readAttached(attached('a.txt', within(`a${'😀'.repeat(100)}`), limits));
    const json = await readAttached(
      attached('a.txt', within('"'.repeat(100)), { ...limits, jsonBytes: 50 }),
    );

    expect(text).toEqual({ text: `--- a.txt ---\n${'ab '.repeat(50)}`.slice(0, 100) });
    expect(pairs).toEqual({ text: `a${'😀'.repeat(49)}` });
    expect(json).toEqual({ text: '"'.repeat(23) });
  });

  it('is cut after as many pages as are read of a document', async () => {
    const pages = Array.from({ length: 3 }, (_, n) => ({ text: words(n) }));
    const limits = { characters: words(0).length + 10, longer: 'cut' } as const;

    const reading = await readAttached(attached('a.pdf', within(await pdfOf(pages)), limits));

    expect(reading).toEqual({ text: `${words(0)}\n\n${words(1)}`.slice(0, limits.characters) });
  });
});

it.each<[string, CompositeKind, (text: string) => Uint8Array | string]>([
  ['HTML', 'html', (text) => `<p>${text}`],
  ['RTF', 'rtf', (text) => rtfOf(text)],
  ['Word', 'archive', (text) => docxOf(wordParagraph(text))],
  ['an EPUB', 'archive', (text) => epubOf([`<p>${text}</p>`])],
  ['a file in a ZIP', 'archive', (text) => archiveOf({ 'a.html': `<html><p>${text}` })],
])('%s is taken apart no further than is wanted of its text', async (_, kind, fileOf) => {
  const path = join(folder, 'document');
  writeFileSync(path, fileOf('word '.repeat(1_000)));

  const parts = await extractParts({ path, kind, folder, forceOcr: false, maxCharacters: 99 });

  expect(parts).toMatchObject([{ is: 'text', text: 'word '.repeat(20).slice(0, 99) }]);
});

describe('pages that are pictures', () => {
  it('are noted where they stand in a whole, and counted where the text may be cut', async () => {
    const scan = await greyJpeg(120);
    const pdf = await pdfOf([{ scan }, { text: words(1) }, { scan }]);
    const archive = archiveOf({ 'a.txt': 'words', 'b.pdf': pdf, 'c.jpg': scan });

    const whole = await readAttached(attached('a.pdf', within(pdf)));
    const cut = await readAttached(attached('a.pdf', within(pdf), { longer: 'cut' }));
    const files = await readAttached(attached('a.zip', within(archive), { longer: 'cut' }));

    const note = '[A picture, which was not read.]';
    expect(whole).toEqual({ text: `${note}\n\n${words(1)}\n\n${note}` });
    expect(cut).toEqual({
      text: `${words(1)}\n\n(Left out: 2 of 3 pages, which are scans or pictures.)`,
    });
    expect(files).toEqual({
      text: [
        '--- a.txt ---\nwords',
        `--- b.pdf ---\n${note}`,
        words(1),
        `--- c.jpg ---\n${note}`,
        '(Left out: 1 of 5 pages, which are scans or pictures.)',
      ].join('\n\n'),
    });
  });
});
