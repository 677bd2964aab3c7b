import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../shared/http/caller.ts';
import { childrenOf } from '../../../shared/jobs/kinds/kinds.ts';
import { retryCallersJob } from '../../../shared/jobs/routes/retry.ts';
import type { Metadata } from '../../../shared/ledger/terms/metadata.ts';
import {
  greyJpeg,
  type SmallPage,
  smallPdf,
  words,
} from '../../support/fixtures/small-documents.ts';
import { writtenLines } from '../../support/run/output.ts';
import { chatJob } from '../../support/servers/api.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';
import { chargesOf } from '../../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();

const metadata = { customer: 'acme-7741', 'cost centre': 'printing-2209' };

/** The metadata of each of a key's charges. */
const tagged = async ({ keyId }: Caller): Promise<(Metadata | undefined)[]> =>
  (await chargesOf(keyId)).map((charge) => charge.metadata);

async function run(caller: Caller, task: object, tags: Metadata = metadata): Promise<string> {
  const { id } = await world.submit(caller, { ...task, metadata: tags });
  await world.work();
  return id;
}

describe('the metadata of a job', () => {
  it('is on the charge of its answer', async () => {
    const caller = await world.newCaller();

    const id = await run(caller, chatJob('Hi'));

    expect(await world.read(caller, id)).toMatchObject({ status: 'done', metadata });
    expect(await tagged(caller)).toEqual([metadata]);
  });

  it.each([
    ['by an engine', {}],
    ['by a model', { model: 'gpt-4.1-mini' }],
  ])(
    'is on the charge of each page that is read %s',
    { tags: 'exhaustive' },
    async (name, rest) => {
      const caller = await world.newCaller();
      const pages = [{ grey: 31 }, { grey: 32 }];
      const drive = { file_id: await world.add(`${name}.pdf`, await smallPdf(pages)) };

      await run(caller, { job_type: 'ocr', drive, ...rest });

      expect(await tagged(caller)).toEqual([metadata, metadata]);
    },
  );

  it('is that of its parts, and of the pages that they read', async () => {
    const caller = await world.newCaller();
    const pages = Array.from(
      { length: 60 },
      (_, page): SmallPage => (page === 55 ? { grey: 77 } : { words: words(page + 1) }),
    );
    const drive = { file_id: await world.add('in-parts.pdf', await smallPdf(pages)) };

    const id = await run(caller, { job_type: 'ocr', drive });

    const parts = await Array.fromAsync(childrenOf(await world.item(caller, id)));
    expect(parts.map((part) => part.metadata)).toEqual([metadata, metadata]);
    expect(await tagged(caller)).toEqual([metadata]);
  });

  it('is that of a folder’s files', async () => {
    mkdirSync(join(world.drive.folder, 'tagged'));
    world.drive.put('tagged/scan.jpg', await greyJpeg(40));
    world.drive.put('tagged/notes.txt', 'Only words.');
    const folder_id = await world.idOf('tagged');
    const caller = await world.newCaller({ drive_folders: [folder_id] });

    const id = await run(caller, { job_type: 'auto', drive: { folder_id } });

    const files = await Array.fromAsync(childrenOf(await world.item(caller, id)));
    expect(files.map((file) => file.metadata)).toEqual([metadata, metadata]);
    expect(await tagged(caller)).toEqual([metadata, metadata]);
  });

  it('is that of a pipeline’s chat step', async () => {
    const caller = await world.newCaller();
    const drive = { file_id: await world.add('tagged-pipe.jpg', await greyJpeg(41)) };
    const pipeline = { pipeline: 'ocr_then_chat', pipeline_instruction: 'Sum up.' };

    await run(caller, { job_type: 'ocr', drive, ...pipeline });

    expect(await tagged(caller)).toEqual([metadata, metadata]);
  });

  it('is that of the job that tries it again', async () => {
    const caller = await world.newCaller();
    world.model.respond({ kind: 'status', status: 400 });
    const id = await run(caller, chatJob('Hi'));

    const again = await retryCallersJob(caller, id);

    expect(again).toMatchObject({ retry_of: id, metadata });
  });

  it('has a line’s own beside it, which goes before', async () => {
    const caller = await world.newCaller();
    const line = (custom_id: string, own: object) =>
      JSON.stringify({
        custom_id,
        body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: custom_id }], ...own },
      });
    const lines = [line('a', {}), line('b', { metadata: { customer: 'other', page: '2' } })];
    const drive = { file_id: await world.add('tagged.jsonl', lines.join('\n')) };

    await run(caller, { job_type: 'chat', drive });

    const both = [metadata, { ...metadata, customer: 'other', page: '2' }];
    const found = await tagged(caller);
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(both));
  });

  it('is told to no model', async () => {
    const asked = world.model.requests.length;

    await run(await world.newCaller(), chatJob('Hi'));

    const requests = world.model.requests.slice(asked);
    expect(requests).toHaveLength(1);
    expect(JSON.stringify(requests)).not.toContain(metadata.customer);
  });

  it('reaches no log, whether the job is done or fails', async () => {
    const caller = await world.newCaller();
    await run(caller, chatJob('Hi'));
    world.model.respond({ kind: 'status', status: 400 });
    await run(caller, chatJob('Hi'));

    const lines = writtenLines();
    expect(lines.filter((line) => line.includes('job ended')).length).toBeGreaterThanOrEqual(2);
    for (const text of [...Object.keys(metadata), ...Object.values(metadata)]) {
      expect(lines.join('\n')).not.toContain(text);
    }
  });
});
