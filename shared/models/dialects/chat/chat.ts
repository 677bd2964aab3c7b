import type { SizedRequest } from '../../token-bounds.ts';
import type { Dialect } from '../dialect.ts';
import { ChatAnswerReader, readChatAnswer } from './read-answer.ts';
import { readChatRequest } from './read-request.ts';
import { ChatAnswerWriter, writeChatAnswer } from './write-answer.ts';
import { writeChatRequest } from './write-request.ts';

/**
 * OpenAI's chat completions. The output's limit is `max_tokens`; each upstream gets it by the name that it knows.
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export const chat: Dialect = {
  path: '/chat/completions',
  limitName: 'max_tokens',
  sized: (body) => body as SizedRequest,
  readRequest: readChatRequest,
  writeRequest: writeChatRequest,
  readAnswer: readChatAnswer,
  writeAnswer: writeChatAnswer,
  reader: (model) => new ChatAnswerReader(model),
  writer: (ask) => new ChatAnswerWriter(ask),
};
