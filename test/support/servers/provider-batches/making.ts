import type { FastifyReply } from 'fastify';
import { OpenAIError } from '../../../../lib/local/offline-model/openai-error.ts';
import type { BatchStore } from './batch-store.ts';

/** Returns what befalls a batch that is about to be made. Throws if it is refused. */
export function failMaking({ behaviour }: BatchStore): 'answer lost' | undefined {
  const how = behaviour.onMake.shift();
  if (typeof how === 'number') throw new OpenAIError(how, 'The batch is not made.');
  return how;
}

/** Ends a request without an answer. */
export function loseAnswer(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.destroy();
  return reply;
}
