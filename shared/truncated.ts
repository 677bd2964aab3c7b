/** Returns the beginning of a text, never with half a character, which UTF-8 can't write and providers refuse. */
export function truncated(text: string, length: number): string {
  const isCutInTwo = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, isCutInTwo ? length - 1 : length);
}
