import * as v from 'valibot';
import type { Caller } from '../http/caller.ts';
import { knowing } from '../http/misspellings.ts';
import { Count } from '../http/schema.ts';
import { estimatePromptTokens } from '../models/token-bounds.ts';
import { dialects } from '../models/upstreams/wires.ts';
import { requireModel } from './models.ts';
import { responseBody } from './response-body.ts';
import { ResponseRequest } from './response-request.ts';

/** The body of `POST /v1/responses/input_tokens`: a response's, of which the input may be missing. */
export const ResponseTokensRequest = knowing(
  v.looseObject({
    ...ResponseRequest.entries,
    input: v.optional(v.nullable(ResponseRequest.entries.input)),
  }),
  [...ResponseRequest.otherNames, 'personality'],
);

/** The answer of the same. @see https://platform.openai.com/docs/api-reference/responses/input-tokens */
export const ResponseTokens = v.object({
  object: v.literal('response.input_tokens'),
  input_tokens: Count,
});

/** Estimates the tokens of a request's input, tools and schema. Throws as `createResponse` does for the request. */
export function countResponseTokens(
  { input, ...request }: v.InferOutput<typeof ResponseTokensRequest>,
  caller: Caller,
): v.InferOutput<typeof ResponseTokens> {
  const model = requireModel(caller, request.model);
  const body = responseBody(model, { ...request, input: input ?? '' } as ResponseRequest);
  const input_tokens = estimatePromptTokens(model, dialects.responses.sized(body));
  return { object: 'response.input_tokens', input_tokens };
}
