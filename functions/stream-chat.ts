import { streamChat } from '../shared/chat/stream/stream-chat.ts';
import { ChatStreamRequest } from '../shared/chat/stream-request.ts';
import { streamEndpoint } from '../shared/http/stream-endpoint.ts';

/** POST /chat/stream */
export const handler = streamEndpoint({ body: ChatStreamRequest }, ({ body }, caller, invocation) =>
  streamChat(body, caller, invocation),
);
