import type { ScalarField } from '../field.ts';
import type { Value } from '../value.ts';
import { datesIn } from './dates.ts';
import { placesAmong } from './locate.ts';
import { numbersIn } from './numbers.ts';
import type { Place } from './place.ts';
import type { ReadPage } from './read-page.ts';

const yes = /^(?:yes|ja|oui|s[ií]|true|x|☒|☑|✓|✔|✗|✘|\[x\])$/iu;
const no = /^(?:no|nein|non|false|☐|\[\])$/iu;

/** Returns where a value stands among the words of a place: nowhere if these don't contain it. */
export function valuePlaces(
  page: ReadPage,
  within: Place,
  { type }: ScalarField,
  value: Value,
): Place[] {
  const texts = page.words.slice(within.start, within.end).map(({ text }) => text);
  return placesIn(texts, page, type, value).map(({ start, end, found, share }) => ({
    start: start + within.start,
    end: end + within.start,
    found: within.found === 'exact' ? found : 'normalized',
    share: share * within.share,
  }));
}

function placesIn(
  texts: string[],
  page: ReadPage,
  type: ScalarField['type'],
  value: Value,
): Place[] {
  if (typeof value === 'boolean') return markPlaces(texts, value);
  if (typeof value === 'number') return numberPlaces(texts, value);
  const text = `${value}`;
  if (type === 'date') return datePlaces(texts, page, text);
  const places = placesAmong(texts, text);
  if (places.length > 0) return places;
  return /^\d{4}-\d\d-\d\d$/.test(text) ? datePlaces(texts, page, text) : brokenPlaces(texts, text);
}

/** A mark or word that says so, unless another one says the contrary. */
function markPlaces(texts: string[], value: boolean): Place[] {
  const bare = texts.map((text) => text.replace(/^[(.,:;]+|[).,:;]+$/g, ''));
  const [own, other] = value ? [yes, no] : [no, yes];
  if (bare.some((text) => other.test(text))) return [];
  return bare.flatMap((text, start) =>
    own.test(text) ? [{ start, end: start + 1, found: 'normalized', share: 1 }] : [],
  );
}

/** A sum without a sign may be a negative one: a column's head or a mark beside it says so. */
function numberPlaces(texts: string[], value: number): Place[] {
  const isSame = (one: number, other: number) =>
    Math.abs(one - other) <= Math.abs(other) * 1e-12 + Number.EPSILON;
  const found = numbersIn(texts.join(' ')).filter(({ values, isSigned }) =>
    values.some((each) => isSame(each, value) || (!isSigned && value < 0 && isSame(each, -value))),
  );
  const places = found.map((span) => spanned(texts, span, `${value}`));
  return places.length > 0 ? places : placesAmong(texts, `${value}`);
}

/** The year of a date that is written without one must stand elsewhere on the page. */
function datePlaces(texts: string[], page: ReadPage, value: string): Place[] {
  return datesIn(texts.join(' '))
    .filter(
      ({ dates }) =>
        dates.includes(value) ||
        (dates.includes(value.slice(5)) &&
          page.words.some(({ text }) => text.includes(value.slice(0, 4)))),
    )
    .map((span) => spanned(texts, span, value));
}

function spanned(texts: string[], span: { start: number; end: number }, written: string): Place {
  let [start, end, at] = [0, texts.length, 0];
  for (const [index, text] of texts.entries()) {
    if (at + text.length <= span.start) start = index + 1;
    at += text.length + 1;
    if (at > span.end) {
      end = index + 1;
      break;
    }
  }
  const isExact = texts.slice(start, end).join(' ').includes(written);
  return {
    start,
    end: Math.max(end, start + 1),
    found: isExact ? 'exact' : 'normalized',
    share: 1,
  };
}

/** A cell that goes on in the next line of its row has other cells' words between its own. */
function brokenPlaces(texts: string[], text: string): Place[] {
  const words = text.match(/\S+/g) ?? [];
  if (words.length < 2 || words.length > 60 || texts.length > 200) return [];
  for (let cut = words.length - 1; cut > 0; cut--) {
    const [head] = placesAmong(texts, words.slice(0, cut).join(' '));
    if (!head) continue;
    const tail = placesAmong(texts.slice(head.end), words.slice(cut).join(' '))[0];
    if (!tail) return [];
    return [{ start: head.start, end: head.end + tail.end, found: 'normalized', share: 1 }];
  }
  return [];
}
