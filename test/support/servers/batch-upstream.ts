import Fastify from 'fastify';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import { afterAll } from 'vitest';
import { completionBody, type ModelRequestBody } from './model-stub-body.ts';
import { answering } from './provider-batches/answer-request.ts';
import { type AnswerChat, BatchStore } from './provider-batches/batch-store.ts';
import { addBatches } from './provider-batches/batches.ts';

const echo: AnswerChat = (body) => {
  const { messages } = body as ModelRequestBody;
  const content = `echo: ${messages.at(-1)?.content}`;
  const request = { ...(body as ModelRequestBody), stream: false };
  return { status: 200, body: JSON.parse(completionBody(request, { content })) as ChatCompletion };
};

/** Gives a test file a provider that takes batches, in both protocols, and echoes. It is asked one by one, too. */
export async function useBatchUpstream({ delayMs = 30 * 60_000 } = {}) {
  const app = Fastify({ bodyLimit: 300 * 2 ** 20, forceCloseConnections: true });
  const store = new BatchStore(answering(echo), { delayMs });
  const asked: Record<string, unknown>[] = [];
  addBatches(app, store);
  app.post<{ Body: Record<string, unknown> }>('/v1/chat/completions', ({ body }) => {
    asked.push(body);
    return echo(body).body;
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  afterAll(() => app.close());
  return { url: `${url}/v1`, store, behaviour: store.behaviour, asked };
}
