/** Prefixes that keep their hyphen before the rest of a word. */
const prefix = /(^|[^\p{L}])(self|non|ex|well|half|cross|all|co|pre)-$/iu;

/** Only the end of a text is looked at, so that many lines take no longer than their letters. */
const maxWordLength = 200;

/** Joins a paragraph's lines. A parted word loses its hyphen, unless a prefix, `hyphenated` or a capital keeps it. */
export function joinLines(lines: readonly string[], hyphenated: ReadonlySet<string>): string {
  return lines.reduce((text, line) => {
    if (!text) return line;
    const tail = text.slice(-maxWordLength);
    const [, start] = /(?<!\p{L})(\p{L}+)[-\u00ad\u2010¬]$/u.exec(tail) ?? [];
    if (start === undefined)
      return /\d-$/.test(tail) && /^\d/.test(line) ? text + line : `${text} ${line}`;

    const [end = ''] = /^\p{L}*/u.exec(line) ?? [];
    const whole = text.slice(0, -1);
    if (!/^\p{L}/u.test(line)) return `${text} ${line}`;
    const keepsHyphen =
      /^\p{Lu}/u.test(line) || prefix.test(tail) || hyphenated.has(`${start}-${end}`.toLowerCase());
    return keepsHyphen ? `${whole}-${line}` : whole + line;
  }, '');
}
