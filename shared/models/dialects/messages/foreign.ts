/** How dialects mark what their providers want back of a thought, where this one carries it. */
const marks = ['chat:', 'responses:'];

/** Whether a thought was sealed by a model of another dialect: Claude takes back its own alone. */
export const isForeign = (seal: { signature?: unknown; data?: unknown }): boolean =>
  marks.some((mark) => String(seal.signature ?? seal.data ?? '').startsWith(mark));
