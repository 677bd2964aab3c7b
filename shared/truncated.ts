/**
 * Returns the beginning of a text, up to so many characters. A character of two code units is never cut in two: half of
 * one can't be written in UTF-8, and providers refuse JSON that has one.
 */
export function truncated(text: string, length: number): string {
  const isCutInTwo = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, isCutInTwo ? length - 1 : length);
}
