/** A number in a text, and all that it may mean: `1.234` is a thousand and more in German. */
export interface FoundNumber {
  values: number[];
  isSigned: boolean;
  start: number;
  end: number;
}

// What a space parts is one number only where groups of three follow.
const written =
  /(?<![\p{L}\d.,])([(\-−–+]?\s?)(?:[€$£¥]|EUR|USD|GBP|CHF)?\s?([-−–]?)(\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d{1,4})?|\d[\d.,'’]*)(?:\s?(%)|(-)(?!\S)|(?=(\))))?/gu;

/** Returns the numbers that stand in a text. */
export function numbersIn(text: string): FoundNumber[] {
  return [...text.matchAll(written)].map((match) => {
    const [whole, before = '', inner = '', digits = '', percent, after, bracket] = match;
    const isNegative =
      /[-−–]/.test(before) ||
      inner !== '' ||
      after !== undefined ||
      (bracket !== undefined && before.includes('('));
    const plain = meaningsOf(digits.replace(/[ \u00a0\u202f'’]/g, '').replace(/[.,]+$/, ''));
    const values = percent ? plain.flatMap((value) => [value, value / 100]) : plain;
    const start = match.index;
    return {
      values: isNegative ? values.map((value) => -value) : values,
      isSigned: isNegative,
      start,
      end: start + whole.length,
    };
  });
}

function meaningsOf(digits: string): number[] {
  const marks = digits.replace(/\d/g, '');
  if (marks === '') return [Number(digits)];
  const last = marks.at(-1) as string;
  const cut = digits.lastIndexOf(last);
  const whole = digits.slice(0, cut).replace(/[.,]/g, '');
  const fraction = digits.slice(cut + 1);
  const isGrouped = /^\d{1,3}([.,]\d{3})+$/.test(digits) && new Set(marks).size === 1;
  const grouped = isGrouped ? [Number(whole + fraction)] : [];
  const isOnce = marks.indexOf(last) === marks.length - 1;
  const groups = digits.slice(0, cut);
  const isWhole =
    marks.length === 1 || /^\d{1,3}([.,]\d{3})+$|^\d{1,2}(,\d{2})*,\d{3}$/.test(groups);
  return isOnce && isWhole ? [...grouped, Number(`${whole}.${fraction}`)] : grouped;
}
