import { maxAnswerBytes } from '../http/bounds.ts';
import { valueError } from '../http/errors.ts';

/** The least that a token takes: its text, and in JSON each alternative that is listed with it. */
const textBytes = 4;
const alternativeBytes = 64;

/** What an answer in one piece is asked to have. */
interface AskedSize {
  n?: number | null | undefined;
  /** Whether tokens are listed with their probabilities, and how many others with each. */
  listsTokens?: boolean;
  top_logprobs?: unknown;
}

/**
 * Returns the limit of an output that has one or not, so that its answer can fit. Throws `UnprocessableEntityError` for a
 * limit of the caller's by which it can't: `name` is what the caller calls it.
 */
export function limitThatFits(
  { n, listsTokens, top_logprobs }: AskedSize,
  limit: number,
  name: string | undefined,
): number | undefined {
  const listed = listsTokens ? 1 + Math.max(0, Number(top_logprobs ?? 0) || 0) : 0;
  const tokenBytes = (n ?? 1) * (textBytes + listed * alternativeBytes);
  const fitting = Math.floor(maxAnswerBytes / tokenBytes);
  if (limit <= fitting) return name === undefined ? undefined : limit;
  if (name === undefined) return fitting;
  const mb = maxAnswerBytes / 2 ** 20;
  const reason = `an answer in one piece, or an event of a stream, may have ${mb} MB: ${fitting} tokens with this n and these top_logprobs`;
  throw valueError(['body', name], reason);
}
