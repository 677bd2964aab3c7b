import { maxNamedFileBytes } from '../http/bounds.ts';
import type { Room } from '../http/byte-budget.ts';
import type { Caller } from '../http/caller.ts';
import type { Invocation, StreamedResponse } from '../http/stream-endpoint.ts';
import { askedOfAll, requireRoute } from './fallbacks.ts';
import { withOwnFiles } from './own-files.ts';
import { respond } from './respond.ts';
import { responseBody } from './response-body.ts';
import type { ResponseRequest } from './response-request.ts';

/** Makes a response of OpenAI's. Throws as `respond`, and `NotFoundError` for a model that the caller may not use. */
export async function createResponse(
  request: ResponseRequest,
  caller: Caller,
  invocation: Invocation,
): Promise<StreamedResponse> {
  const routed = requireRoute(caller, request);
  const filled = await withFiles(request, caller, invocation.room);
  const question = askedOfAll(routed, (model) => ({
    model,
    dialect: 'responses' as const,
    body: responseBody(model, filled),
  }));
  return respond({ ...question, metadata: request.metadata }, caller, invocation);
}

/** The request with the key's own files in place of their ids. */
async function withFiles(
  request: ResponseRequest,
  { keyId }: Caller,
  room: Room,
): Promise<ResponseRequest> {
  const { input } = request;
  if (!Array.isArray(input)) return request;
  const loc = ['body', 'input'];
  const filled = await withOwnFiles(input, {
    keyId,
    room,
    loc,
    type: 'input_file',
    maxBytes: maxNamedFileBytes,
  });
  return { ...request, input: filled };
}
