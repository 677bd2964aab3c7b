import type { ReadPage } from './read-page.ts';

const marks =
  /^(?:\W*(?:dr|db|deb|debit|cr|credit|soll|haben|s|h|d)|[^\w\u2212\u2013-]*[\u2212\u2013-])\W*$/iu;

/** Whether a mark beside a number, in its line, says which side of an account it is of. */
export function isDebitOrCredit(
  { words }: ReadPage,
  { start, end }: { start: number; end: number },
): boolean {
  const line = words[start]?.line;
  return [start - 1, end, end + 1].some((at) => {
    const word = words[at];
    return word !== undefined && word.line === line && marks.test(word.text);
  });
}
