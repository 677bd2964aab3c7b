import { countMessageTokens } from '../shared/chat/count-message-tokens.ts';
import { MessageCountRequest } from '../shared/chat/message-request.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { messagesError } from '../shared/http/messages-error.ts';
import { json } from '../shared/http/response.ts';

/** POST /v1/messages/count_tokens */
export const handler = jsonEndpoint(
  { body: MessageCountRequest },
  async ({ body }, caller) => json(200, countMessageTokens(body, caller)),
  messagesError,
);
