/** Beginnings that keep their hyphen before the rest of a word. */
const prefix = /(^|[^\p{L}])(self|non|ex|well|half|cross|all|co|pre)-$/iu;

/**
 * Joins a paragraph's lines. A word parted at a line's end is made whole, without its hyphen unless
 * `hyphenated` has it with one, or what follows is no small letter.
 */
export function joinLines(lines: readonly string[], hyphenated: ReadonlySet<string>): string {
  return lines.reduce((text, line) => {
    if (!text) return line;
    const [, start] = /(\p{L}+)[-\u00ad\u2010¬]$/u.exec(text) ?? [];
    if (start === undefined)
      return /\d-$/.test(text) && /^\d/.test(line) ? text + line : `${text} ${line}`;

    const [end = ''] = /^\p{L}*/u.exec(line) ?? [];
    const whole = text.slice(0, -1);
    if (!/^\p{L}/u.test(line)) return `${text} ${line}`;
    const keepsHyphen =
      /^\p{Lu}/u.test(line) || prefix.test(text) || hyphenated.has(`${start}-${end}`.toLowerCase());
    return keepsHyphen ? `${whole}-${line}` : whole + line;
  }, '');
}
