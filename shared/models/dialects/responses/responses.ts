import type { EndingDialect } from '../dialect.ts';
import { ResponsesAnswerReader, readResponsesAnswer } from './read-answer.ts';
import { readResponsesRequest } from './read-request.ts';
import { sizedResponse } from './sized.ts';
import { ResponsesAnswerWriter, writeResponsesAnswer } from './write-answer.ts';
import { writeResponsesRequest } from './write-request.ts';

/**
 * OpenAI's responses, of which nothing is kept.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export const responses: EndingDialect = {
  path: '/responses',
  limitName: 'max_output_tokens',
  sent: ({ metadata: _, ...body }) => body,
  sized: sizedResponse,
  readRequest: readResponsesRequest,
  writeRequest: writeResponsesRequest,
  readAnswer: readResponsesAnswer,
  writeAnswer: writeResponsesAnswer,
  reader: () => new ResponsesAnswerReader(),
  writer: (ask) => new ResponsesAnswerWriter(ask),
};
