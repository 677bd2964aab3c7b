import {
  countResponseTokens,
  ResponseTokensRequest,
} from '../shared/chat/count-response-tokens.ts';
import { responseError } from '../shared/http/error-response.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';

/** POST /v1/responses/input_tokens */
export const handler = jsonEndpoint(
  { body: ResponseTokensRequest },
  async ({ body }, caller) => json(200, countResponseTokens(body, caller)),
  responseError,
);
