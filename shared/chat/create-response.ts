import { maxNamedFileBytes } from '../http/bounds.ts';
import type { Caller } from '../http/caller.ts';
import type { Invocation, StreamedResponse } from '../http/stream-endpoint.ts';
import { askedOfAll, requireRoute } from './fallbacks.ts';
import { withOwnFiles } from './own-files.ts';
import { respond } from './respond.ts';
import { responseBody } from './response-body.ts';
import type { ResponseRequest } from './response-request.ts';

const ownFiles = {
  loc: ['body', 'input'],
  type: 'input_file' as const,
  maxBytes: maxNamedFileBytes,
};

/** Makes a response of OpenAI's. Throws as `respond`, and `NotFoundError` for a model that the caller may not use. */
export async function createResponse(
  request: ResponseRequest,
  caller: Caller,
  invocation: Invocation,
): Promise<StreamedResponse> {
  const routed = requireRoute(caller, request);
  const { input } = request;
  const where = { keyId: caller.keyId, room: invocation.room, ...ownFiles };
  const filled = Array.isArray(input) ? await withOwnFiles(input, where) : input;
  const question = askedOfAll(routed, (model) => ({
    model,
    dialect: 'responses' as const,
    body: responseBody(model, { ...request, input: filled }),
  }));
  return respond({ ...question, metadata: request.metadata }, caller, invocation);
}
