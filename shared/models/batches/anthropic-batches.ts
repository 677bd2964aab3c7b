import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type OpenAI from 'openai';
import * as v from 'valibot';
import { Count } from '../../http/schema.ts';
import { messages } from '../dialects/messages/messages.ts';
import type { BatchProtocol, UpstreamBatch, UpstreamResult } from './protocol.ts';
import { anyFields, beside, Made, resultsIn, told } from './result-lines.ts';

const path = '/messages/batches';

/**
 * Anthropic's message batches. A batch has no name of ours; its requests' ids begin with one.
 * @see https://platform.claude.com/docs/en/api/creating-message-batches
 */
export const anthropicBatches: BatchProtocol = {
  most: { requests: 100_000, bytes: 240_000_000 },
  lineOf: (custom_id, _url, body) => ({ custom_id, params: body }),
  upload: async () => undefined,

  async make(client, batch, signal) {
    const made = client.post(path, {
      body: ReadableStream.from(bodyOf(batch.path)),
      headers: { ...headersOf(client), 'content-type': 'application/json' },
      signal,
    });
    return (await told(Made, made)).id;
  },

  async find(client, { tag, count, sinceMs }, signal) {
    let isUnclear = false;
    for await (const batch of listed(client, signal)) {
      if (Date.parse(batch.created_at) < sinceMs) break;
      if (countOf(batch) !== count) continue;
      if (batch.processing_status !== 'ended') isUnclear = true;
      else if (await isOurs(client, batch, tag, signal)) return { id: batch.id };
    }
    return isUnclear ? 'unclear' : undefined;
  },

  read: async (client, id, signal) =>
    stateOf(await told(Batch, get(client, `${path}/${id}`, signal))),

  async cancel(client, id, signal) {
    const options = { headers: headersOf(client), signal };
    const { body } = await client.post(`${path}/${id}/cancel`, options).asResponse();
    await body?.cancel();
  },

  async *results(client, { results }, signal) {
    for (const id of results) {
      const response = await get(client, `${path}/${id}/results`, signal).asResponse();
      yield* resultsIn(response, Line, resultOf);
    }
  },
};

const Batch = v.object({
  id: v.string(),
  processing_status: v.string(),
  request_counts: beside(v.object({ succeeded: beside(Count), errored: beside(Count) })),
});

/** A batch of the list is known by its counts. */
const Listed = v.object({
  ...Batch.entries,
  created_at: v.string(),
  request_counts: v.objectWithRest({ succeeded: v.number(), errored: v.number() }, v.number()),
});
type Listed = v.InferOutput<typeof Listed>;

const Page = v.object({
  data: v.array(Listed),
  has_more: v.boolean(),
  last_id: v.nullish(v.string()),
});

const headersOf = ({ apiKey, baseURL }: OpenAI) =>
  messages.headers?.(String(apiKey), baseURL) ?? {};

const get = (client: OpenAI, from: string, signal: AbortSignal) =>
  client.get(from, { headers: headersOf(client), signal });

/** The body of a batch, from a file of its requests as JSON lines. */
async function* bodyOf(file: string): AsyncGenerator<Uint8Array> {
  let before = '{"requests":[';
  const lines = createInterface({ input: createReadStream(file), crlfDelay: 0 });
  for await (const line of lines) {
    yield Buffer.from(`${before}${line}`);
    before = ',';
  }
  yield Buffer.from(']}');
}

/** All batches, the newest first. */
async function* listed(client: OpenAI, signal: AbortSignal): AsyncGenerator<Listed> {
  for (let after: string | undefined; ; ) {
    const query = `?limit=100${after ? `&after_id=${after}` : ''}`;
    const page = await told(Page, get(client, `${path}${query}`, signal));
    yield* page.data;
    if (!page.has_more || !page.last_id) return;
    after = page.last_id;
  }
}

/** Whether the first result of a batch that has ended is of a request of ours. */
async function isOurs(client: OpenAI, batch: Listed, tag: string, signal: AbortSignal) {
  for await (const result of anthropicBatches.results(client, stateOf(batch), signal)) {
    if ('customId' in result) return result.customId.startsWith(`${tag}-`);
  }
  return false;
}

const countOf = ({ request_counts: counts }: Listed) =>
  Object.values(counts).reduce((all, each) => all + each, 0);

function stateOf(batch: v.InferOutput<typeof Batch>): UpstreamBatch {
  const { id, processing_status, request_counts: counts } = batch;
  return {
    id,
    isOver: processing_status === 'ended',
    isCancelled: processing_status === 'canceling',
    completed: counts?.succeeded ?? 0,
    failed: counts?.errored ?? 0,
    results: [id],
  };
}

const Line = v.object({
  custom_id: v.string(),
  result: v.object({
    type: v.string(),
    message: v.nullish(anyFields),
    error: v.nullish(
      v.object({
        error: v.nullish(v.object({ type: v.nullish(v.string()), message: v.nullish(v.string()) })),
      }),
    ),
  }),
});

function resultOf({ custom_id: customId, result }: v.InferOutput<typeof Line>): UpstreamResult {
  if (result.type === 'succeeded' && result.message) return { customId, body: result.message };
  const { type, message } = result.error?.error ?? {};
  const isInvalid = type === 'invalid_request_error';
  return {
    customId,
    error: {
      status: isInvalid ? 400 : 500,
      isInvalid,
      code: type ?? `batch_${result.type}`,
      message: message ?? 'It was not answered.',
    },
  };
}
