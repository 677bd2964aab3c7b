import type { EmbeddingCreateParams } from 'openai/resources/embeddings';
import { embed } from '../../../../lib/local/offline-model/embeddings.ts';
import { OpenAIError } from '../../../../lib/local/offline-model/openai-error.ts';
import type { AnswerChat, AnswerRequest } from './batch-store.ts';
import { answerMessage, answerResponse } from './other-dialects.ts';

/** Makes what answers a batch's request to any route, of what answers chat completions. */
export const answering =
  (chat: AnswerChat): AnswerRequest =>
  (url, body) => {
    try {
      if (url === '/v1/embeddings')
        return { status: 200, body: embed(body as unknown as EmbeddingCreateParams) };
      if (url === '/v1/messages') return answerMessage(body, chat);
      return url === '/v1/responses' ? answerResponse(body, chat) : chat(body);
    } catch (error) {
      if (error instanceof OpenAIError) return { status: error.statusCode, body: error.body };
      throw error;
    }
  };
