const signed = 'signature:';
const foreign = 'redacted:';
/** Marks, where other dialects carry it, what a provider of this one encrypted. No other can read it. */
export const ownMark = 'responses:';

/** What proves a thought to be its provider's own, or is the thought itself, which the provider alone can read. */
export interface Seal {
  signature?: string;
  encrypted?: string;
}

/** Writes what a provider wants back with a thought into the one field that callers send back as it is. */
export function encryptedContentOf({ signature, encrypted }: Seal): string | undefined {
  if (encrypted === undefined) return signature === undefined ? undefined : signed + signature;
  return encrypted.startsWith(ownMark) ? encrypted.slice(ownMark.length) : foreign + encrypted;
}

/** Reads it from there. */
export function sealOf(content: unknown): Seal {
  if (typeof content !== 'string' || content === '') return {};
  if (content.startsWith(signed)) return { signature: content.slice(signed.length) };
  if (content.startsWith(foreign)) return { encrypted: content.slice(foreign.length) };
  return { encrypted: ownMark + content };
}

/** Whether it is none that a provider of this dialect gave: such a one refuses it. */
export const isForeign = (content: unknown): boolean =>
  typeof content === 'string' && (content.startsWith(signed) || content.startsWith(foreign));
