import { requireEmbeddingModel } from '../chat/models.ts';
import { respond } from '../chat/respond.ts';
import type { Caller } from '../http/caller.ts';
import type { Invocation, StreamedResponse } from '../http/stream-endpoint.ts';
import { embeddingQuestion } from './embedding-question.ts';
import type { EmbeddingRequest } from './embedding-request.ts';

/** Makes the embeddings of texts. Throws `NotFoundError` for a model that makes none, and as `respond` does. */
export const createEmbeddings = (
  request: EmbeddingRequest,
  caller: Caller,
  invocation: Invocation,
): Promise<StreamedResponse> =>
  respond(
    embeddingQuestion(requireEmbeddingModel(caller, request.model), request),
    caller,
    invocation,
  );
