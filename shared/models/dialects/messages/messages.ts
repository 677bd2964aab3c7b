import type { Body, EndingDialect } from '../dialect.ts';
import { listOf } from '../read-shapes.ts';
import { MessagesAnswerReader, readMessagesAnswer } from './read-answer.ts';
import { readMessagesRequest } from './read-request.ts';
import { sizedMessages } from './sized.ts';
import { isForeign } from './wire.ts';
import { MessagesAnswerWriter } from './write-answer.ts';
import { writeMessagesRequest } from './write-request.ts';
import { writeMessagesAnswer } from './write-whole-answer.ts';

/**
 * Anthropic's Messages. Anthropic takes a key in a header of its own; others that speak Messages may take either.
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
  sent: (body) => ({ ...body, messages: listOf(body['messages']).map(withoutForeign) }),
  sized: sizedMessages,
  readRequest: readMessagesRequest,
  writeRequest: writeMessagesRequest,
  readAnswer: readMessagesAnswer,
  writeAnswer: writeMessagesAnswer,
  reader: () => new MessagesAnswerReader(),
  writer: (ask) => new MessagesAnswerWriter(ask),
};

/** Leaves out thoughts that a model of another dialect sealed, as the conversation may have been with another. */
const withoutForeign = (message: Body): Body =>
  Array.isArray(message['content'])
    ? { ...message, content: listOf(message['content']).filter((block) => !isForeign(block)) }
    : message;

const anthropicHost = /(^|\.)anthropic\.com$/;
