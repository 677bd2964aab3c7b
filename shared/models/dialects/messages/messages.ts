import type { EndingDialect } from '../dialect.ts';
import { MessagesAnswerReader, readMessagesAnswer } from './read-answer.ts';
import { readMessagesRequest } from './read-request.ts';
import { sizedMessages } from './sized.ts';
import { MessagesAnswerWriter } from './write-answer.ts';
import { writeMessagesRequest } from './write-request.ts';
import { writeMessagesAnswer } from './write-whole-answer.ts';

/**
 * Anthropic's Messages. Anthropic takes a key in a header of its own, and takes another in `Authorization` for that of a
 * person who is signed in; others that speak Messages may know either.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 */
export const messages: EndingDialect = {
  path: '/messages',
  limitName: 'max_tokens',
  headers: (apiKey, baseUrl) => ({
    'x-api-key': apiKey,
    'anthropic-version': '2023-06-01',
    ...(anthropicHost.test(new URL(baseUrl).hostname) && { authorization: null }),
  }),
  sized: sizedMessages,
  readRequest: readMessagesRequest,
  writeRequest: writeMessagesRequest,
  readAnswer: readMessagesAnswer,
  writeAnswer: writeMessagesAnswer,
  reader: () => new MessagesAnswerReader(),
  writer: (ask) => new MessagesAnswerWriter(ask),
};

const anthropicHost = /(^|\.)anthropic\.com$/;
