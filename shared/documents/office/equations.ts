/**
 * The signs before and after the parts of an equation of Word, which make it one line: `12/5 = x^2`.
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
const marks: Record<string, readonly [before: string, after: string]> = {
  num: ['(', ')'],
  den: ['/(', ')'],
  sup: ['^(', ')'],
  sub: ['_(', ')'],
  rad: ['√(', ')'],
  mr: ['', ';'],
};

/** An equation while it is read. */
export class Equation {
  private text = '';

  open(name: string, value: string | undefined): void {
    // A sum or an integral; an integral is what Word takes where the sign isn't told.
    if (name === 'chr') this.text += value ?? '∫';
    else this.text += marks[name]?.[0] ?? '';
  }

  add(text: string): void {
    this.text += text;
  }

  close(name: string): void {
    this.text += marks[name]?.[1] ?? '';
  }

  /** The equation on one line. A part of one number or letter needs no brackets. */
  toString(): string {
    return this.text
      .replaceAll('^()', '')
      .replaceAll('_()', '')
      .replaceAll(/\((\d[\d.,]*|\p{L})\)/gu, '$1');
  }
}
