import { describe, expect, it } from 'vitest';
import { createFile } from '../../../shared/files/create-file.ts';
import { deleteFile } from '../../../shared/files/delete-file.ts';
import type { Purpose } from '../../../shared/files/file.ts';
import type { Caller } from '../../../shared/http/caller.ts';
import { retryCallersJob } from '../../../shared/jobs/routes/retry.ts';
import { smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

async function upload(
  { keyId }: Caller,
  filename: string,
  content: Uint8Array | string,
  purpose: Purpose = 'user_data',
): Promise<string> {
  return (await createFile(keyId, { filename, purpose }, [Buffer.from(content)])).entry;
}

/** A caller who may use no drive. */
const newCaller = () => world.newCaller({ drive_folders: [] });

async function done(caller: Caller, body: object) {
  const { id } = await world.submit(caller, body);
  await world.work();
  return world.read(caller, id);
}

describe('a job on a file of the key', () => {
  it('reads the pages of a document', async () => {
    const caller = await newCaller();
    const file_id = await upload(caller, 'pump.pdf', await smallPdf([{ words: words(2) }]));

    const job = await done(caller, { job_type: 'ocr', file_id });

    expect(job).toMatchObject({
      ...{ status: 'done', input_type: 'file', filename: 'pump.pdf', file_id },
      ...{ drive_file_id: null, drive_result_file_id: null, error: null },
      result: { type: 'ocr', pages: [{ page: 1 }] },
    });
  });

  it('hands the pages of a document to a model', async () => {
    const caller = await newCaller();
    const file_id = await upload(caller, 'pump.pdf', await smallPdf([{ words: words(2) }]));

    const job = await done(caller, {
      ...{ job_type: 'ocr', file_id, pipeline: 'ocr_then_chat' },
      pipeline_instruction: 'Sum it up.',
    });

    expect(job).toMatchObject({ status: 'done', result: { type: 'pipeline' } });
  });

  it('asks a model about a text', async () => {
    const caller = await newCaller();
    const file_id = await upload(caller, 'pump.txt', 'The pump was replaced in May.');

    for (const job_type of ['chat', 'auto']) {
      const job = await done(caller, { job_type, file_id });

      expect(job).toMatchObject({ status: 'done', result: { type: 'chat' } });
      expect(JSON.stringify(job.result)).toContain('The pump was replaced in May.');
    }
  });

  it('asks each line of a file of requests', async () => {
    const caller = await newCaller();
    const lines = ['a', 'b', 'c'].map((content) =>
      JSON.stringify({
        ...{ custom_id: content, method: 'POST', url: '/v1/chat/completions' },
        body: { model: 'gpt-4.1', messages: [{ role: 'user', content }] },
      }),
    );
    const file_id = await upload(caller, 'requests.jsonl', lines.join('\n'), 'batch');

    const job = await done(caller, { job_type: 'chat', file_id });

    expect(job).toMatchObject({
      status: 'done',
      result: { type: 'chat_batch', lines: { total: 3, completed: 3, failed: 0 } },
    });
  });

  it('is refused for another key’s file, and for one that there isn’t', async () => {
    const file_id = await upload(await newCaller(), 'a.txt', 'theirs');

    for (const id of [file_id, 'file-0']) {
      await expect(
        world.submit(await newCaller(), { job_type: 'chat', file_id: id }),
      ).rejects.toMatchObject({ statusCode: 422, fields: [{ loc: ['body', 'file_id'] }] });
    }
  });

  it('fails if the file is deleted before it runs, and again when it is tried again', async () => {
    const caller = await newCaller();
    const gone = await upload(caller, 'gone.txt', 'gone');
    const { id } = await world.submit(caller, { job_type: 'chat', file_id: gone });
    await deleteFile(caller.keyId, gone);
    await world.work();

    const failed = await world.read(caller, id);

    expect(failed).toMatchObject({
      ...{ status: 'failed', error: expect.stringContaining(`No such File object: ${gone}`) },
    });
    const again = await retryCallersJob(caller, id);
    await world.work();
    expect(await world.read(caller, again.id)).toMatchObject({
      ...{ status: 'failed', file_id: gone, retry_of: id },
    });
  });

  it('may be named in a message, too', async () => {
    const caller = await newCaller();
    const pdf = await smallPdf([{ words: words(2) }]);
    const file = { file_id: await upload(caller, 'pump.pdf', pdf) };
    const messages = [{ role: 'user', content: [{ type: 'file', file }] }];

    const read = await done(caller, { job_type: 'ocr', inline: { messages } });
    const asked = await done(caller, { job_type: 'chat', inline: { messages } });

    expect(read).toMatchObject({ status: 'done', result: { type: 'ocr', pages: [{ page: 1 }] } });
    expect(JSON.stringify(asked.result)).toContain('pump.pdf');
    await expect(
      world.submit(await newCaller(), { job_type: 'ocr', inline: { messages } }),
    ).rejects.toMatchObject({
      statusCode: 422,
      fields: [{ loc: ['body', 'inline', 'messages', 0, 'content', 0, 'file', 'file_id'] }],
    });
  });

  it('of more than 6 MB is no part of a message', async () => {
    const caller = await newCaller();
    const file = { file_id: await upload(caller, 'a.txt', 'x'.repeat(3.5 * 2 ** 20)) };
    const content = [1, 2].map(() => ({ type: 'file', file }));

    await expect(
      world.submit(caller, { job_type: 'chat', inline: { messages: [{ role: 'user', content }] } }),
    ).rejects.toThrow('the files of a request may have 6 MB together');
  });

  it('takes no other input beside it', async () => {
    const caller = await newCaller();
    const file_id = await upload(caller, 'a.txt', 'a');
    const inline = { messages: [{ role: 'user', content: 'a' }] };

    await expect(world.submit(caller, { job_type: 'chat', file_id, inline })).rejects.toThrow(
      'exactly one of inline, drive and file_id must be given',
    );
  });
});
