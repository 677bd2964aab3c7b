import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { OpenAIError } from '../../../../lib/local/offline-model/openai-error.ts';
import type { BatchStore, StoredBatch } from './batch-store.ts';
import { failMaking, loseAnswer } from './making.ts';

const path = '/v1/messages/batches';

interface Request {
  custom_id: string;
  params: Record<string, unknown>;
}

/** Anthropic's message batches. @see https://platform.claude.com/docs/en/api/creating-message-batches */
export function addAnthropicBatches(app: FastifyInstance, store: BatchStore): void {
  app.post<{ Body: { requests: Request[] } }>(path, ({ body }, reply) => {
    const how = failMaking(store);
    const requests = body.requests.map(({ custom_id: customId, params }) => {
      if (!/^[\w-]{1,64}$/.test(customId)) throw new OpenAIError(400, 'Invalid custom_id.');
      return { customId, url: '/v1/messages', body: params };
    });
    const batch = store.add(`msgbatch_${randomUUID().replaceAll('-', '')}`, requests);
    return how === 'answer lost' ? loseAnswer(reply) : objectOf(batch);
  });

  app.get<{ Querystring: { after_id?: string; limit?: string } }>(path, ({ query }) => {
    const all = store.newestFirst().filter(({ endpoint }) => endpoint === undefined);
    const from = query.after_id ? all.findIndex(({ id }) => id === query.after_id) + 1 : 0;
    const data = all.slice(from, from + Number(query.limit ?? 20));
    const has_more = from + data.length < all.length;
    return { data: data.map(objectOf), has_more, last_id: data.at(-1)?.id ?? null };
  });

  const batchNamed = (id: string) => {
    const batch = store.find(id);
    if (!batch) throw new OpenAIError(404, 'There is no such batch.');
    return batch;
  };
  app.get<{ Params: { id: string } }>(`${path}/:id`, ({ params }) =>
    objectOf(batchNamed(params.id)),
  );
  app.post<{ Params: { id: string } }>(`${path}/:id/cancel`, ({ params }) => {
    const batch = batchNamed(params.id);
    store.cancel(batch);
    return objectOf(batch);
  });
  app.get<{ Params: { id: string } }>(`${path}/:id/results`, ({ params }, reply) => {
    const { requests, answers } = batchNamed(params.id);
    if (!answers) throw new OpenAIError(404, 'The batch has no results yet.');
    const lines = requests.map(({ customId: custom_id }, at) =>
      JSON.stringify({ custom_id, result: resultOf(answers[at]) }),
    );
    return reply.type('application/x-jsonl').send(`${lines.reverse().join('\n')}\n`);
  });
}

function resultOf(answer: NonNullable<StoredBatch['answers']>[number]) {
  if (!answer) return { type: 'canceled' };
  const { status, body } = answer;
  if (status === 200) return { type: 'succeeded', message: body };
  const type = status < 500 ? 'invalid_request_error' : 'api_error';
  const { message } = (body as { error?: { message?: string } }).error ?? {};
  return { type: 'errored', error: { type: 'error', error: { type, message } } };
}

function objectOf({ id, requests, answers, createdAtMs, cancelledAtMs }: StoredBatch) {
  const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  for (const [at] of requests.entries()) {
    const answer = answers?.[at];
    if (!answers) counts.processing += 1;
    else if (!answer) counts.canceled += 1;
    else counts[answer.status === 200 ? 'succeeded' : 'errored'] += 1;
  }
  const runs = cancelledAtMs === undefined ? 'in_progress' : 'canceling';
  return {
    ...{ id, type: 'message_batch', processing_status: answers ? 'ended' : runs },
    ...{ request_counts: counts, created_at: new Date(createdAtMs).toISOString() },
  };
}
