import type { TextFilter } from '../answer.ts';

/** What a text is made of here: citations with the space before them, runs of backticks, line breaks, the rest. */
const token = / ?\[\s*\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\s*\]|`+|\n+|[^`\n []+|[ []/y;
const isCitation = (part: string) => part.endsWith(']') && /^ ?\[/.test(part);
/** The end of a piece that the next piece may go on with: a citation, its space, or a run. */
const unfinished = /(?: ?\[[\d\s,–-]{0,40}| |(?<!`)`+|(?<!\n)\n+)$/;

/**
 * Keeps only citations that name a source: `[2, 9]` becomes `[2]` without a 9. It works piece by piece; code stays as
 * it is.
 */
export class CitationFilter implements TextFilter {
  private held = '';
  /** The backticks that the code being read began with; empty outside of code. */
  private fence = '';
  private readonly numberOf: (n: number) => number | undefined;

  /** `numberOf` returns the number to cite a source by; undefined if there is no such source. */
  constructor(numberOf: (n: number) => number | undefined) {
    this.numberOf = numberOf;
  }

  push(text: string): string {
    const whole = this.held + text;
    const end = whole.search(unfinished);
    this.held = end < 0 ? '' : whole.slice(end);
    return this.filter(end < 0 ? whole : whole.slice(0, end));
  }

  rest(): string {
    const text = this.filter(this.held);
    this.held = '';
    return text;
  }

  private filter(text: string): string {
    let kept = '';
    token.lastIndex = 0;
    for (let found = token.exec(text); found; found = token.exec(text)) {
      const [part] = found;
      kept += this.fence === '' && isCitation(part) ? this.withSources(part) : part;
      this.follow(part);
    }
    return kept;
  }

  /** Follows where code begins and ends. Code within a paragraph ends with the paragraph at the latest. */
  private follow(part: string): void {
    if (part.startsWith('`')) {
      if (this.fence === '') this.fence = part;
      else if (this.fence === part) this.fence = '';
    } else if (part.startsWith('\n\n') && this.fence.length < 3) this.fence = '';
  }

  private withSources(cited: string): string {
    const numbers = numbersIn(cited).flatMap((n) => this.numberOf(n) ?? []);
    if (numbers.length === 0) return '';
    const space = cited.startsWith(' ') ? ' ' : '';
    return space + numbers.map((n) => `[${n}]`).join('');
  }
}

/** The numbers that a citation names: `[1, 3-5]` names 1, 3, 4 and 5. */
export function numbersIn(text: string): number[] {
  return [...text.matchAll(/(\d+)(?:\s*[–-]\s*(\d+))?/g)].flatMap(([, first, last = first]) => {
    const [from, to] = [Number(first), Number(last)];
    const length = Math.min(Math.max(to - from + 1, 1), 20);
    return Array.from({ length }, (_, index) => from + index);
  });
}
