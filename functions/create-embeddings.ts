import { createEmbeddings } from '../shared/embeddings/create-embeddings.ts';
import { EmbeddingRequest } from '../shared/embeddings/embedding-request.ts';
import { streamEndpoint } from '../shared/http/stream-endpoint.ts';

/** POST /v1/embeddings */
export const handler = streamEndpoint({ body: EmbeddingRequest }, ({ body }, caller, invocation) =>
  createEmbeddings(body, caller, invocation),
);
