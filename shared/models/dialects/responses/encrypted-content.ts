import { sealMarks, type ThoughtPart } from '../ask.ts';

const signed = 'signature:';
const foreign = 'redacted:';
const ownMark = sealMarks.responses;

/** What proves a thought to be its provider's own, or is the thought itself, which the provider alone can read. */
export type Seal = Pick<ThoughtPart, 'signature' | 'encrypted'>;

/** Writes what a provider wants back with a thought into the one field that callers send back as it is. */
export function encryptedContentOf({ signature, encrypted }: Seal): string | undefined {
  if (encrypted === undefined) return signature === undefined ? undefined : signed + signature;
  return isOwn(encrypted) ? encrypted.slice(ownMark.length) : foreign + encrypted;
}

/** Reads it from there. */
export function sealOf(content: unknown): Seal {
  if (typeof content !== 'string' || content === '') return {};
  if (content.startsWith(signed)) return { signature: content.slice(signed.length) };
  if (content.startsWith(foreign)) return { encrypted: content.slice(foreign.length) };
  return { encrypted: ownMark + content };
}

/** Whether a provider of this dialect encrypted a thought, which no other can read. */
export const isOwn = (encrypted: string | undefined): encrypted is string =>
  encrypted?.startsWith(ownMark) === true;

/** Whether it is none that a provider of this dialect gave: such a one refuses it. */
export const isForeign = (content: unknown): boolean =>
  typeof content === 'string' && (content.startsWith(signed) || content.startsWith(foreign));
