/** Marks a signature of a thought that can be read, which this dialect has no field for. */
const signed = 'signature:';

/** What proves a thought to be its provider's own, or is the thought itself, which the provider alone can read. */
export interface Seal {
  signature?: string;
  encrypted?: string;
}

/** Writes what a provider wants back with a thought into the one field that callers send back as it is. */
export const encryptedContentOf = ({ signature, encrypted }: Seal): string | undefined =>
  encrypted ?? (signature === undefined ? undefined : signed + signature);

/** Reads it from there. */
export function sealOf(content: unknown): Seal {
  if (typeof content !== 'string' || content === '') return {};
  if (!content.startsWith(signed)) return { encrypted: content };
  return { signature: content.slice(signed.length) };
}
