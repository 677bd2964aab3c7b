import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { EmbeddingCreateParams } from 'openai/resources/embeddings';
import type { Engine } from '../engines/engine.ts';
import { newServer } from '../engines/new-server.ts';
import { refusePages } from '../engines/page-requests.ts';
import { isSigned } from '../engines/signature.ts';
import type { ChatRequest } from './chat-request.ts';
import { complete, completionEvents } from './completion.ts';
import { embed } from './embeddings.ts';
import { OpenAIError } from './openai-error.ts';

const maxBodyBytes = 10 * 1024 * 1024;

/** A running offline model. */
export interface ModelEngine extends Engine {
  /** The one API key that it knows, new at each start. */
  key: string;
}

/** Starts the offline model, an OpenAI-compatible API that needs no network. */
export async function startOfflineModel(): Promise<ModelEngine> {
  const app = newServer({ bodyLimit: maxBodyBytes, forceCloseConnections: true });
  const key = `sk-offline-${randomBytes(24).toString('base64url')}`;
  addErrors(app);
  requireKey(app, key);
  addRoutes(app);
  refusePages(app.server);
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: `${address}/v1`, key, close: () => app.close() };
}

function requireKey(app: FastifyInstance, key: string): void {
  app.addHook('onRequest', async ({ headers, raw }) => {
    // A function signs what it asks of Bedrock.
    if (headers.authorization === `Bearer ${key}` || headers['x-api-key'] === key || isSigned(raw))
      return;
    throw new OpenAIError(401, 'Incorrect API key provided.', { code: 'invalid_api_key' });
  });
}

function addRoutes(app: FastifyInstance): void {
  app.get('/v1/models', () => ({
    object: 'list',
    data: [
      { id: 'offline', object: 'model', created: Math.floor(Date.now() / 1000), owned_by: 'quire' },
    ],
  }));

  app.post<{ Body: EmbeddingCreateParams }>('/v1/embeddings', ({ body }) => embed(body));

  app.post<{ Body: ChatRequest }>('/v1/chat/completions', ({ body: chat }, reply) => {
    const completion = complete(chat);
    if (!chat.stream) return reply.send(completion);

    const includeUsage = chat.stream_options?.include_usage ?? false;
    return reply
      .headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
      .send(Readable.from(completionEvents(completion, { includeUsage })));
  });
}

function addErrors(app: FastifyInstance): void {
  app.setNotFoundHandler(({ method, url }, reply) => {
    const unknown = new OpenAIError(404, `Unknown request URL: ${method} ${url}.`, {
      code: 'unknown_url',
    });
    return reply.status(404).send(unknown.body);
  });

  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const openAIError =
      error instanceof OpenAIError
        ? error
        : new OpenAIError(error.statusCode ?? 500, error.message);
    return reply.status(openAIError.statusCode).send(openAIError.body);
  });
}
