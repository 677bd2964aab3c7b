import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { requireFile } from '../../../shared/files/find-file.ts';
import type { Caller } from '../../../shared/http/caller.ts';
import type { Batch } from '../../../shared/jobs/kinds/batch/batch.ts';
import { batchJobIdOf } from '../../../shared/jobs/kinds/batch/batch-job.ts';
import { BatchRequest, createBatch } from '../../../shared/jobs/routes/create-batch.ts';
import { getBatch } from '../../../shared/jobs/routes/read-batches.ts';
import type { useDocumentWorld } from './document-world.ts';
import { makeFile, textOf } from './files-world.ts';

/** A line of an output file or an error file. */
export interface BatchLine {
  id: string;
  custom_id: string | null;
  response: {
    status_code: number;
    request_id: string;
    body: {
      choices?: { message: { content: string } }[];
      data?: { embedding: unknown }[];
      error?: { code: string };
    };
  } | null;
  error: { code: string; message: string } | null;
}

/** A request that asks a model one thing. */
export const requestLine = (custom_id: string, content: string, body: object = {}, rest = {}) =>
  JSON.stringify({
    custom_id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content }], ...body },
    ...rest,
  });

export const upload = (caller: Caller, lines: string[]) =>
  makeFile(caller.keyId, lines.join('\n'), { purpose: 'batch', filename: 'requests.jsonl' });

/** What the tests of batches do in a world of documents. */
export function batchesIn(world: Awaited<ReturnType<typeof useDocumentWorld>>) {
  async function create(caller: Caller, lines: string[], rest: object = {}): Promise<Batch> {
    const { entry: input_file_id } = await upload(caller, lines);
    const endpoint = '/v1/chat/completions';
    const body = { input_file_id, endpoint, completion_window: '24h', ...rest };
    return createBatch(caller, v.parse(BatchRequest, body), randomUUID());
  }

  async function run(caller: Caller, lines: string[], rest: object = {}): Promise<Batch> {
    const { id } = await create(caller, lines, rest);
    await world.work();
    return getBatch(caller, id);
  }

  /** The lines of one of its files; none if it has no such file. */
  async function linesOf(caller: Caller, fileId: string | null): Promise<BatchLine[]> {
    if (!fileId) return [];
    const text = await textOf(await requireFile(caller.keyId, fileId));
    const lines = text.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as BatchLine);
  }

  return {
    create,
    run,
    read: (caller: Caller, { id }: Batch) => getBatch(caller, id),
    jobIdOf: ({ id }: Batch) => batchJobIdOf(id) ?? '',
    outputs: (caller: Caller, batch: Batch) => linesOf(caller, batch.output_file_id),
    errors: (caller: Caller, batch: Batch) => linesOf(caller, batch.error_file_id),
  };
}
