import { countMessageTokens } from '../shared/chat/count-message-tokens.ts';
import { MessageCountRequest } from '../shared/chat/message-request.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** POST /v1/messages/count_tokens */
export const handler = jsonEndpoint({ body: MessageCountRequest }, ({ body }, caller) =>
  countMessageTokens(body, caller),
);
