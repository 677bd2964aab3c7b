import { PageIndex } from './folded.ts';
import type { Scalar } from './schema.ts';

/** Whether a text tells a value, in whatever form: a number, a date, a word. */
export function tells(text: string, value: unknown, scalar: Scalar): boolean {
  if (typeof value === 'number') return numbersIn(text).some((each) => isSame(each, value));
  if (typeof value === 'boolean') return true;
  const said = String(value);
  if (saysWords(text, said)) return true;
  if (scalar.isDate || isoDate.test(said)) return datesIn(text).includes(said);
  // A choice stands for what is said, and need not be its words.
  return scalar.choices !== undefined;
}

/** Whether a text has the words, whole; a number in digits, in whatever form. */
function saysWords(text: string, said: string): boolean {
  const index = indexOfText(text);
  if (index.exact(said)) return true;
  if (/^[\d.,'’\s]+$/.test(said)) {
    return numbersIn(said).some((each) => numbersIn(text).some((other) => isSame(each, other)));
  }
  return (index.normalized(said) ?? index.misread(said)) !== undefined;
}

const indexOfText = (text: string) =>
  new PageIndex({ page: 0, status: 'read', source: 'ocr', text, words: [], confidence: null });

const isoDate = /^\d{4}-\d\d-\d\d$/;

const isSame = (one: number, other: number) =>
  Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other)) || Math.abs(one) === Math.abs(other);

/** Returns the numbers in a text, each in every way in which its marks can be meant. */
export function numbersIn(text: string): number[] {
  const tokens = text.normalize('NFKC').match(/\d[\d.,'’ ]*/gu) ?? [];
  return tokens.flatMap(readings);
}

function readings(token: string): number[] {
  const digits = token.replace(/[^\d.,]/g, '').replace(/[.,]+$/, '');
  const plain = digits.replace(/[.,]/g, '');
  const mark = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const decimals = digits.slice(mark + 1);
  const decimal = `${digits.slice(0, mark).replace(/[.,]/g, '')}.${decimals}`;
  // A mark before three digits may part thousands or decimals; before fewer it parts decimals.
  const parts = mark < 0 ? [plain] : decimals.length === 3 ? [plain, decimal] : [decimal];
  // Numbers side by side may be one with spaces in it, or several.
  const apart = token.trim().split(/[\s']+/);
  const several = apart.length > 1 ? apart.flatMap(readings) : [];
  return [...parts.map(Number), ...several];
}

const months: Record<string, number> = {
  ...numbered('jan feb mar apr may jun jul aug sep oct nov dec'),
  ...numbered('jän feb mär apr mai jun jul aug sep okt nov dez'),
  ...numbered('janv févr mars avri mai juin juil août sept octo nove déce'),
  ...numbered('ene feb mar abr may jun jul ago sep oct nov dic'),
};

function numbered(names: string): Record<string, number> {
  return Object.fromEntries(names.split(' ').map((name, index) => [name, index + 1]));
}

const monthOf = (name: string): number | undefined => {
  const lower = name.toLowerCase();
  return months[lower.slice(0, 4)] ?? months[lower.slice(0, 3)];
};

/** Returns the dates in a text as YYYY-MM-DD; one whose day and month may be either way round, both ways. */
export function datesIn(text: string): string[] {
  const plain = text.normalize('NFKC');
  const dates: string[] = [];
  const add = (year: string, month: number | undefined, day: string) => {
    const full = year.length === 2 ? `20${year}` : year;
    if (month) dates.push(`${full}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`);
  };
  for (const [, year = '', month, day = ''] of plain.matchAll(
    /(\d{4})\s?[-./]\s?(\d{1,2})\s?[-./]\s?(\d{1,2})/g,
  )) {
    add(year, Number(month), day);
  }
  for (const [, one = '', two = '', year = ''] of plain.matchAll(
    /(\d{1,2})\s?[-./]\s?(\d{1,2})\s?[-./]\s?(\d{4}|\d{2})\b/g,
  )) {
    add(year, Number(two), one);
    add(year, Number(one), two);
  }
  for (const [, day = '', name = '', year = ''] of plain.matchAll(
    /(\d{1,2})(?:st|nd|rd|th|er|º)?[.\s]*(?:de\s+)?(\p{L}{3,})\.?,?\s+(?:de\s+|del\s+)?(\d{4})/gu,
  )) {
    add(year, monthOf(name), day);
  }
  for (const [, name = '', day = '', year = ''] of plain.matchAll(
    /(\p{L}{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})/gu,
  )) {
    add(year, monthOf(name), day);
  }
  return dates;
}
