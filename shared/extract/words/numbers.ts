import { withoutPhones } from './phones.ts';
import { money, scaleAhead, scaleAt } from './scales.ts';

/** A number in a text, and all that it may mean: `1.234` is a thousand and more in German. */
export interface FoundNumber {
  values: number[];
  isSigned: boolean;
  start: number;
  end: number;
}

// Digits with spaces between are one number only in groups of three. A label may be glued to a sum: `Total12.50`.
const written = new RegExp(
  String.raw`(?:(?<![\p{Lu}\p{Ll}\d]|\d[.,])|(?<=\p{L})(?=\d+[.,'’]\d))(\(?\s?[-−–+]?)(\s?)(${money})?\s?([-−–]?)(\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d{1,4})?(?![.,]?\d)|\d[\d.,'’]*)(?:\s?(%)|(?<![.,])([-−–])(?!\S))?(?:(?=\s?(\)))|)`,
  'gu',
);

const endsInMoney = new RegExp(String.raw`(?:${money})\s?$`);

/** Returns the numbers in a text. `4 312.50` is one number, though it could be a count before a sum. */
export function numbersIn(given: string): FoundNumber[] {
  const text = withoutPhones(given);
  return [...text.matchAll(written)].map((match) => {
    const [whole, before = '', space = '', currency, inner = '', digits = '', ...rest] = match;
    const [percent, after, bracket] = rest;
    const hasMinus = /[-−–]/.test(before);
    const isNegative =
      hasMinus ||
      inner !== '' ||
      after !== undefined ||
      (bracket !== undefined && before.includes('('));
    const plain = meaningsOf(
      digits.replace(/[ \u00a0\u202f'’]/g, '').replace(/(?<![.,])[.,]+$/, ''),
    );
    const start = match.index;
    const end = start + whole.length;
    const isMoney =
      currency !== undefined || endsInMoney.test(text.slice(Math.max(0, start - 5), start));
    const scale = scaleAt(text.slice(end, end + 60), isMoney);
    const first = start + whole.indexOf(digits);
    const powers =
      scale.length > 0 ? scale.powers : scaleAhead(text.slice(Math.max(0, first - 20), first));
    const scaled = powers.flatMap((power) => plain.map((value) => Number(`${value}e${power}`)));
    const values = [...scaled, ...plain, ...(percent ? plain.map((value) => value / 100) : [])];
    // A dash that a space parts from its number may stand between two; `(£4.5m)` may be an aside.
    const isAside = before.includes('(') && text[end + scale.length] === ')' && !isNegative;
    const isEither = isAside || (hasMinus && space !== '' && inner === '');
    const negative = values.map((value) => -value);
    return {
      values: isEither ? [...values, ...negative] : isNegative ? negative : values,
      isSigned: isNegative,
      start: start + whole.length - whole.trimStart().length,
      end: end + scale.length,
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
