import type { Body, EndingDialect } from '../dialect.ts';
import { isForeign } from './encrypted-content.ts';
import { ResponsesAnswerReader, readResponsesAnswer } from './read-answer.ts';
import { readResponsesRequest } from './read-request.ts';
import { sizedResponse } from './sized.ts';
import { ResponsesAnswerWriter, writeResponsesAnswer } from './write-answer.ts';
import { writeResponsesRequest } from './write-request.ts';

/** Leaves out thoughts that a model of another dialect sealed, as the conversation may have been with another. */
const withoutForeign = (input: unknown): Body =>
  Array.isArray(input)
    ? { input: (input as Body[]).filter((item) => !isForeign(item['encrypted_content'])) }
    : {};

/** OpenAI's responses, of which nothing is kept. @see https://platform.openai.com/docs/api-reference/responses */
export const responses: EndingDialect = {
  path: '/responses',
  limitName: 'max_output_tokens',
  sent: ({ metadata: _, ...body }) => ({ ...body, ...withoutForeign(body['input']) }),
  sized: sizedResponse,
  readRequest: readResponsesRequest,
  writeRequest: writeResponsesRequest,
  readAnswer: readResponsesAnswer,
  writeAnswer: writeResponsesAnswer,
  reader: () => new ResponsesAnswerReader(),
  writer: (ask) => new ResponsesAnswerWriter(ask),
};
