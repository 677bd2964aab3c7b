import {
  countResponseTokens,
  ResponseTokensRequest,
} from '../shared/chat/count-response-tokens.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** POST /v1/responses/input_tokens */
export const handler = jsonEndpoint({ body: ResponseTokensRequest }, ({ body }, caller) =>
  countResponseTokens(body, caller),
);
