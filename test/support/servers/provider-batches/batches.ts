import type { FastifyInstance } from 'fastify';
import { addAnthropicBatches } from './anthropic-routes.ts';
import type { BatchStore } from './batch-store.ts';
import { addOpenAIBatches } from './openai-routes.ts';

const maxFileBytes = 260 * 1024 * 1024;

/** Gives a provider the batches of OpenAI and of Anthropic. They take as long, and go as wrong, as the store says. */
export function addBatches(app: FastifyInstance, store: BatchStore): void {
  app.register(async (routes) => {
    routes.addContentTypeParser(
      'multipart/form-data',
      { parseAs: 'buffer', bodyLimit: maxFileBytes },
      (_request, body, done) => done(null, body),
    );
    addOpenAIBatches(routes, store);
    addAnthropicBatches(routes, store);
  });
}
