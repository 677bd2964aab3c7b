import type { Value } from '../asked/field.ts';
import { datesIn } from './dates.ts';
import { placesWithin } from './locate.ts';
import { marksIn } from './marks.ts';
import { numbersIn } from './numbers.ts';
import { phonesIn, withoutPhones } from './phones.ts';
import type { Place, Span } from './place.ts';
import type { ReadPage } from './read-page.ts';

const marks =
  /^(?:\W*(?:dr|db|deb|debit|cr|credit|soll|haben|s|h|d)|[^\w\u2212\u2013-]*[\u2212\u2013-])\W*$/iu;

/** Whether a mark beside a number, in its line, says which side of an account it is of. */
function isDebitOrCredit({ words }: ReadPage, { start, end }: Span): boolean {
  const line = words[start]?.line;
  return [start - 1, end, end + 1].some((at) => {
    const word = words[at];
    return word !== undefined && word.line === line && marks.test(word.text);
  });
}

/** Returns where a value stands among the words of a place: nowhere if these don't contain it. */
export function valuePlaces(page: ReadPage, within: Place, value: Value): Place[] {
  return placesIn(page, within, value).map((place) => ({
    ...place,
    found: within.found === 'exact' ? place.found : 'normalized',
    share: place.share * within.share,
  }));
}

function placesIn(page: ReadPage, within: Span, value: Value): Place[] {
  if (typeof value === 'boolean') return marksIn(page, within, value);
  if (typeof value === 'number') return numberPlaces(page, within, value);
  const text = `${value}`;
  const places = placesWithin(page, within, text);
  if (places.length > 0) return places;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return datePlaces(page, within, text);
  const phones = phonesIn(asDigits(page, within).join(' '), text);
  return phones.length > 0
    ? phones.map((phone) => spanned(page, within, phone, text))
    : brokenPlaces(page, within, text);
}

/** A sum without a sign is a negative one only where a mark beside it says so. */
function numberPlaces(page: ReadPage, within: Span, value: number): Place[] {
  const isSame = (one: number, other: number) =>
    Math.abs(one - other) <= Math.abs(other) * 1e-12 + Number.EPSILON;
  const places = numbersIn(asDigits(page, within).join(' ')).flatMap((number) => {
    const place = spanned(page, within, number, `${value}`);
    if (number.values.some((each) => isSame(each, value))) return [place];
    const isNegative = !number.isSigned && value < 0 && isDebitOrCredit(page, place);
    return isNegative && number.values.some((each) => isSame(each, -value)) ? [place] : [];
  });
  if (places.length > 0) return places;
  // A quantity before a price looks like the thousands of one number: `4 312.50`.
  const texts = page.words.slice(within.start, within.end).map(({ text }) => text);
  return withoutPhones(texts.join(' '))
    .split(' ')
    .flatMap((text, index): Place[] => {
      const isIt = numbersIn(text).some(({ values }) => values.some((each) => isSame(each, value)));
      const start = within.start + index;
      const found = text.includes(`${value}`) ? 'exact' : 'normalized';
      return isIt ? [{ start, end: start + 1, found, share: 1 }] : [];
    });
}

function datePlaces(page: ReadPage, within: Span, value: string): Place[] {
  return datesIn(asDigits(page, within).join(' ')).flatMap((date) => {
    const place = spanned(page, within, date, value);
    if (date.dates.includes(value)) return [place];
    const isSameDay = date.dates.includes(value.slice(5));
    return isSameDay && hasYear(page, place, value.slice(0, 4)) ? [place] : [];
  });
}

const digits: Record<string, string> = {
  O: '0',
  o: '0',
  l: '1',
  I: '1',
  i: '1',
  '|': '1',
  S: '5',
  s: '5',
  B: '8',
};

/** Returns words; letters in words of mostly digits become the digits that OCR takes for them. */
function asDigits(page: ReadPage, { start, end }: Span): string[] {
  return page.words.slice(start, end).map(({ text }) => {
    const letters = text.match(/[OolIi|SsB]/g)?.length ?? 0;
    const isOne =
      letters > 0 &&
      /^[^\p{L}\d]*[\dOolIiSsB][\dOolIi|SsB.,/'’-]*(?:[^\p{L}\d|.,/'’-][^\p{L}\d]*)?$/u.test(
        text,
      ) &&
      (text.match(/\d/g)?.length ?? 0) >= letters * 2;
    return isOne ? text.replace(/[OolIi|SsB]/g, (sign) => digits[sign] as string) : text;
  });
}

/** Returns the words of a span of a place's text. What OCR has confused there counts less. */
function spanned(page: ReadPage, within: Span, span: Span, written: string): Place {
  let [start, end, at] = [within.start, within.end, 0];
  for (let index = within.start; index < within.end; index++) {
    const length = page.words[index]?.text.length ?? 0;
    if (at + length <= span.start) start = index + 1;
    at += length + 1;
    if (at > span.end) {
      end = index + 1;
      break;
    }
  }
  end = Math.max(end, start + 1);
  const texts = page.words.slice(start, end).map(({ text }) => text);
  const plain = texts.join(' ');
  const clean = asDigits(page, { start, end }).join(' ');
  const changed = [...plain].filter((sign, n) => sign !== clean[n]).length;
  return {
    start,
    end,
    found: plain.includes(written) ? 'exact' : 'normalized',
    share: 1 - changed / plain.length,
  };
}

/** Finds a cell that goes on in a later line of its row, behind other cells' words. */
function brokenPlaces(page: ReadPage, within: Span, text: string): Place[] {
  const words = text.match(/\S+/g) ?? [];
  if (words.length < 2 || words.length > 60 || within.end - within.start > 200) return [];
  const lineOf = (word: number) => page.words[word]?.line ?? 0;
  if (lineOf(within.start) === lineOf(within.end - 1)) return [];
  for (let cut = words.length - 1; cut > 0; cut--) {
    const [head] = placesWithin(page, within, words.slice(0, cut).join(' '));
    if (!head) continue;
    const rest = { start: head.end, end: within.end };
    const tails = placesWithin(page, rest, words.slice(cut).join(' '));
    const tail = tails.find(({ start }) => lineOf(start) > lineOf(head.end - 1));
    if (tail) return [{ start: head.start, end: tail.end, found: 'normalized', share: 1 }];
  }
  return [];
}

const written = /(?<![\d.,])(?:19|20)\d\d(?!\d|[.,]\d)|(?<=\d[./]\d{1,2}[./])(?:19|20)\d\d(?!\d)/g;

const years = new WeakMap<ReadPage, Set<string>>();

/** Whether a date that stands without a year is of this one: its line has it, or the page has no other. */
function hasYear(page: ReadPage, { start }: { start: number }, year: string): boolean {
  const line = page.words[start]?.line;
  let from = start;
  while (from > 0 && page.words[from - 1]?.line === line) from -= 1;
  for (let at = from; page.words[at]?.line === line && at < page.words.length; at++) {
    if (yearsIn(page.words[at]?.text as string).includes(year)) return true;
  }
  const known = years.get(page) ?? new Set(page.words.flatMap(({ text }) => yearsIn(text)));
  years.set(page, known);
  return known.size === 1 && known.has(year);
}

const yearsIn = (text: string): string[] => text.match(written) ?? [];
