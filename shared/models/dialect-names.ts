/** All dialects that an upstream may speak. Embeddings are asked for in one alone, so they are never translated. */
export const dialectNames = ['chat', 'responses', 'messages', 'embeddings'] as const;

export type DialectName = (typeof dialectNames)[number];
