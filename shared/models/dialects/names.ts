/** The dialects that callers and upstreams may speak, by the names that the catalogue has for them. */
export const dialectNames = ['chat', 'responses', 'messages'] as const;

export type DialectName = (typeof dialectNames)[number];
