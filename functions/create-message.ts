import { createMessage } from '../shared/chat/create-message.ts';
import { MessageHeaders, MessageRequest } from '../shared/chat/message-request.ts';
import { streamEndpoint } from '../shared/http/stream-endpoint.ts';

/** POST /v1/messages */
export const handler = streamEndpoint(
  { body: MessageRequest, header: MessageHeaders },
  ({ body, header }, caller, invocation) => createMessage(body, header, caller, invocation),
);
