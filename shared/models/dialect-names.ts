/** The dialects in which models are asked to answer, by the names that the catalogue has for them. */
const answering = ['chat', 'responses', 'messages'] as const;

/** All dialects that an upstream may speak. Embeddings are asked for in one alone, so they are never translated. */
export const dialectNames = [...answering, 'embeddings'] as const;

export type DialectName = (typeof dialectNames)[number];
