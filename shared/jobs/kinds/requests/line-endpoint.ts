/** The routes that lines of a file of requests may ask, one and the same in all of a file. */
export const lineEndpointNames = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
] as const;

export type LineEndpoint = (typeof lineEndpointNames)[number];

/** The route of a file that says none. */
export const defaultEndpoint = '/v1/chat/completions' satisfies LineEndpoint;
