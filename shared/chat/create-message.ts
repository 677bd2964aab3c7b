import type { Caller } from '../http/caller.ts';
import type { Invocation, StreamedResponse } from '../http/stream-endpoint.ts';
import { askedOfAll, requireRoute } from './fallbacks.ts';
import { messageBody, passedHeaders } from './message-body.ts';
import type { MessageHeaders, MessageRequest } from './message-request.ts';
import { respond } from './respond.ts';

/** Makes a message. Throws as `respond` does, and `NotFoundError` for a model that the caller may not use. */
export async function createMessage(
  request: MessageRequest,
  headers: MessageHeaders,
  caller: Caller,
  invocation: Invocation,
): Promise<StreamedResponse> {
  const question = askedOfAll(requireRoute(caller, request), (model) => ({
    model,
    dialect: 'messages' as const,
    body: messageBody(model, request),
    headers: passedHeaders(model, headers),
  }));
  const response = await respond(question, caller, invocation);
  // The id by the name that Anthropic's clients look for.
  return { ...response, headers: { 'request-id': invocation.requestId, ...response.headers } };
}
