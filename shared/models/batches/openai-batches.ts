import { openAsBlob } from 'node:fs';
import type { Batch } from 'openai/resources/batches';
import type { BatchProtocol, UpstreamBatch, UpstreamResult } from './protocol.ts';
import { resultLines } from './result-lines.ts';

/** The name of ours in a batch's metadata. */
const tagName = 'quire';

const over = ['failed', 'completed', 'expired', 'cancelled'];

/**
 * OpenAI's batches: a file of requests, and two of results.
 *
 * @see https://platform.openai.com/docs/api-reference/batch
 */
export const openaiBatches: BatchProtocol = {
  most: { requests: 50_000, bytes: 190_000_000 },
  lineOf: (custom_id, url, body) => ({ custom_id, method: 'POST', url, body }),

  async upload(client, path, signal) {
    const file = new File([await openAsBlob(path)], 'requests.jsonl');
    const { id } = await client.files.create({ file, purpose: 'batch' }, { signal });
    return id;
  },

  async make(client, { fileId = '', tag, url }, signal) {
    const endpoint = url as '/v1/chat/completions';
    const asked = { input_file_id: fileId, endpoint, completion_window: '24h' as const };
    const { id } = await client.batches.create(
      { ...asked, metadata: { [tagName]: tag } },
      { signal },
    );
    return id;
  },

  async find(client, { tag, sinceMs }, signal) {
    for await (const batch of client.batches.list({ limit: 100 }, { signal })) {
      if (batch.metadata?.[tagName] === tag) return { id: batch.id };
      if (batch.created_at * 1000 < sinceMs) break;
    }
    return undefined;
  },

  read: async (client, id, signal) => stateOf(await client.batches.retrieve(id, { signal })),

  async cancel(client, id, signal) {
    await client.batches.cancel(id, { signal });
  },

  async *results(client, { results }, signal) {
    for (const file of results) {
      const response = await client.files.content(file, { signal });
      for await (const line of resultLines(response)) yield resultOf(line as Line);
    }
  },
};

function stateOf(batch: Batch): UpstreamBatch {
  const { id, status, request_counts, output_file_id, error_file_id, errors } = batch;
  const first = errors?.data?.[0];
  return {
    ...{ id, isOver: over.includes(status) },
    isCancelled: status.startsWith('cancel'),
    completed: request_counts?.completed ?? 0,
    failed: request_counts?.failed ?? 0,
    results: [output_file_id, error_file_id].filter((file) => file != null),
    ...(status === 'failed' && {
      error: { code: first?.code ?? 'batch_failed', message: first?.message ?? 'It failed.' },
    }),
  };
}

/** A line of either file of results. */
interface Line {
  custom_id: string;
  response?: { status_code: number; body: Record<string, unknown> } | null;
  error?: { code?: string; message?: string } | null;
}

function resultOf({ custom_id: customId, response, error }: Line): UpstreamResult {
  const { status_code: status = 500, body = {} } = response ?? {};
  if (status === 200 && !error) return { customId, body };
  const told = error ?? (body['error'] as Line['error']) ?? {};
  const { code, message = `The model provider answered ${status}.` } = told ?? {};
  const isInvalid =
    response != null && status >= 400 && status < 500 && ![408, 429].includes(status);
  return { customId, error: { status, code: code ?? 'model_unavailable', message, isInvalid } };
}
