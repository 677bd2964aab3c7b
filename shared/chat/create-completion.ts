import { maxNamedFileBytes } from '../http/bounds.ts';
import type { Caller } from '../http/caller.ts';
import type { Invocation, StreamedResponse } from '../http/stream-endpoint.ts';
import { type CompletionRequest, completionQuestion } from './completion-request.ts';
import { askedOfAll, requireRoute } from './fallbacks.ts';
import { withOwnFiles } from './own-files.ts';
import { respond } from './respond.ts';

const ownFiles = { loc: ['body', 'messages'], maxBytes: maxNamedFileBytes };

/** Makes a chat completion. Throws as `respond` does, and `NotFoundError` for a model that the caller may not use. */
export async function createCompletion(
  request: CompletionRequest,
  caller: Caller,
  invocation: Invocation,
): Promise<StreamedResponse> {
  const routed = requireRoute(caller, request);
  const where = { keyId: caller.keyId, room: invocation.room, ...ownFiles };
  const messages = await withOwnFiles(request.messages, where);
  const question = {
    ...askedOfAll(routed, (model) => completionQuestion(model, { ...request, messages })),
    metadata: request.metadata,
    wantsUsage: request.stream_options?.include_usage === true,
  };
  return respond(question, caller, invocation);
}
