import { CompletionRequest } from '../shared/chat/completion-request.ts';
import { createCompletion } from '../shared/chat/create-completion.ts';
import { streamEndpoint } from '../shared/http/stream-endpoint.ts';

/** POST /v1/chat/completions */
export const handler = streamEndpoint({ body: CompletionRequest }, ({ body }, caller, invocation) =>
  createCompletion(body, caller, invocation),
);
