import { openAsBlob } from 'node:fs';
import * as v from 'valibot';
import { Count } from '../../http/schema.ts';
import type { BatchProtocol, UpstreamBatch } from './protocol.ts';
import { anyFields, beside, Made, resultsIn, told } from './result-lines.ts';

/** The name of ours in a batch's metadata. */
const tagName = 'quire';

const over = ['failed', 'completed', 'expired', 'cancelled'];

/** OpenAI's batches: a file of requests, and two of results. @see https://platform.openai.com/docs/api-reference/batch */
export const openaiBatches: BatchProtocol = {
  most: { requests: 50_000, bytes: 190_000_000 },
  lineOf: (custom_id, url, body) => ({ custom_id, method: 'POST', url, body }),

  async upload(client, path, signal) {
    const file = new File([await openAsBlob(path)], 'requests.jsonl');
    return (await told(Made, client.files.create({ file, purpose: 'batch' }, { signal }))).id;
  },

  async make(client, { fileId = '', tag, url }, signal) {
    const endpoint = url as '/v1/chat/completions';
    const asked = { input_file_id: fileId, endpoint, completion_window: '24h' as const };
    const named = { ...asked, metadata: { [tagName]: tag } };
    return (await told(Made, client.batches.create(named, { signal }))).id;
  },

  async find(client, { tag, sinceMs }, signal) {
    for (let after: string | undefined; ; ) {
      const asked = { limit: 100, ...(after && { after }) };
      const { data, has_more } = await told(Page, client.batches.list(asked, { signal }));
      const found = data.find(({ metadata }) => metadata?.[tagName] === tag);
      if (found) return { id: found.id };
      const last = data.at(-1);
      if (has_more === false || !last || last.created_at * 1000 < sinceMs) return undefined;
      after = last.id;
    }
  },

  read: async (client, id, signal) =>
    stateOf(await told(Batch, client.batches.retrieve(id, { signal }))),

  async cancel(client, id, signal) {
    const { body } = await client.batches.cancel(id, { signal }).asResponse();
    await body?.cancel();
  },

  async *results(client, { results }, signal) {
    for (const file of results) {
      const response = await client.files.content(file, { signal });
      yield* resultsIn(response, Line, resultOf);
    }
  },
};

const Batch = v.object({
  id: v.string(),
  status: v.string(),
  request_counts: beside(v.object({ completed: beside(Count), failed: beside(Count) })),
  output_file_id: v.nullish(v.string()),
  error_file_id: v.nullish(v.string()),
  errors: beside(
    v.object({
      data: v.array(v.object({ code: beside(v.string()), message: beside(v.string()) })),
    }),
  ),
});

/** A page of the list, the newest first. */
const Page = v.object({
  data: v.array(
    v.object({ id: v.string(), created_at: v.number(), metadata: v.nullish(anyFields) }),
  ),
  has_more: v.nullish(v.boolean()),
});

function stateOf(batch: v.InferOutput<typeof Batch>): UpstreamBatch {
  const { id, status, request_counts, output_file_id, error_file_id, errors } = batch;
  const first = errors?.data[0];
  return {
    id,
    isOver: over.includes(status),
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
const Line = v.object({
  custom_id: v.string(),
  response: v.nullish(v.object({ status_code: v.number(), body: v.unknown() })),
  error: v.nullish(v.unknown()),
});

const Told = v.object({
  code: beside(v.string()),
  message: beside(v.string()),
  param: beside(v.string()),
});

function resultOf({ custom_id: customId, response, error }: v.InferOutput<typeof Line>) {
  const { status_code: status = 500, body: any } = response ?? {};
  const body = v.is(anyFields, any) ? any : {};
  if (status === 200 && !error) return { customId, body };
  const told = v.safeParse(Told, error ?? body['error']);
  const { code, message, param } = told.success ? told.output : {};
  const isInvalid =
    response != null && status >= 400 && status < 500 && ![408, 429].includes(status);
  return {
    customId,
    error: {
      status: status >= 400 && status < 600 ? status : 500,
      code: code ?? 'model_unavailable',
      message: message ?? `The model provider answered ${status}.`,
      ...(param && { param }),
      isInvalid,
    },
  };
}
