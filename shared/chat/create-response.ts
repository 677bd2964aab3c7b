import type { Caller } from '../http/caller.ts';
import type { Invocation, StreamedResponse } from '../http/stream-endpoint.ts';
import { requireModel } from './models.ts';
import { maxOwnFileBytes, withOwnFiles } from './own-files.ts';
import { respond } from './respond.ts';
import { responseBody } from './response-body.ts';
import type { ResponseRequest } from './response-request.ts';

/**
 * Makes a response in OpenAI's sense. Throws as `respond` does, and `NotFoundError` for a model that the caller may not
 * use. Tools that are left out are named in a header.
 */
export async function createResponse(
  request: ResponseRequest,
  caller: Caller,
  invocation: Invocation,
): Promise<StreamedResponse> {
  const model = requireModel(caller, request.model);
  const { body, leftOut } = responseBody(model, await withFiles(request, caller));
  const question = { model, dialect: 'responses' as const, body, metadata: request.metadata };
  const response = await respond(question, caller, invocation);
  if (leftOut.length === 0) return response;
  const headers = { ...response.headers, 'x-quire-left-out-tools': listed(leftOut) };
  return { ...response, headers };
}

/** The request with the key's own files in place of their ids. */
async function withFiles(request: ResponseRequest, { keyId }: Caller): Promise<ResponseRequest> {
  const { input } = request;
  if (!Array.isArray(input)) return request;
  const loc = ['body', 'input'];
  const filled = await withOwnFiles(input, {
    ...{ keyId, loc, type: 'input_file', maxBytes: maxOwnFileBytes },
  });
  return { ...request, input: filled };
}

/** Headers that are longer than some 10 KB together are refused on their way, and an answer that is paid with them. */
const maxNamed = 50;

const listed = (types: string[]) =>
  types.length > maxNamed ? `${types.slice(0, maxNamed).join(', ')}, ...` : types.join(', ');
