import { parseChatRequest } from '../chat-request.ts';
import { complete } from '../completion.ts';
import { embed } from '../embeddings.ts';
import { OpenAIError } from '../openai-error.ts';
import type { AnswerChat, AnswerRequest } from './batch-store.ts';
import { answerMessage, answerResponse } from './other-dialects.ts';

const offlineModel: AnswerChat = (body) => ({
  status: 200,
  body: complete(parseChatRequest(body)),
});

/** Makes what answers a batch's request to any route, of what answers chat completions. */
export const answering =
  (chat: AnswerChat = offlineModel): AnswerRequest =>
  (url, body) => {
    try {
      if (url === '/v1/embeddings') return { status: 200, body: embed(body) };
      if (url === '/v1/messages') return answerMessage(body, chat);
      return url === '/v1/responses' ? answerResponse(body, chat) : chat(body);
    } catch (error) {
      if (error instanceof OpenAIError) return { status: error.statusCode, body: error.body };
      throw error;
    }
  };
