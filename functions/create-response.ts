import { createResponse } from '../shared/chat/create-response.ts';
import { ResponseRequest } from '../shared/chat/response-request.ts';
import { streamEndpoint } from '../shared/http/stream-endpoint.ts';

/** POST /v1/responses */
export const handler = streamEndpoint({ body: ResponseRequest }, ({ body }, caller, invocation) =>
  createResponse(body, caller, invocation),
);
