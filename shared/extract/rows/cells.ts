import type { AnsweredRow } from '../answers/answer.ts';
import type { Value } from '../asked/field.ts';
import { valuePlaces } from '../words/find-value.ts';
import { overlaps, type Place } from '../words/place.ts';
import type { RowPart } from './claims.ts';

/** Where a row's value stands, in which part of the row, and where else it may. */
export interface Cell {
  part: RowPart;
  place: Place;
  options: readonly Place[];
}

/** More places of one value in a row aren't compared. */
const maxOptions = 20;

/** Returns where each of a row's values stands. Those of one value have successive places. */
export function cellsAt({ values }: AnsweredRow, parts: readonly RowPart[]): (Cell | undefined)[] {
  const taken: { part: RowPart; place: Place }[] = [];
  return values.map((value) => {
    if (value === null) return undefined;
    for (const part of parts) {
      const options = valuePlaces(part.page, part.place, value).slice(0, maxOptions);
      const isFree = (place: Place) =>
        !taken.some((other) => other.part === part && overlaps(place, other.place));
      const place = options.find(isFree) ?? options[0];
      if (!place) continue;
      taken.push({ part, place });
      return { part, place, options };
    }
    return brokenCell(value, parts);
  });
}

/** A text that goes on in a row's second page stands where it begins. */
function brokenCell(value: Value, [head, tail]: readonly RowPart[]): Cell | undefined {
  if (!head || !tail || typeof value !== 'string') return undefined;
  const words = value.match(/\S+/g) ?? [];
  for (let cut = words.length - 1; cut > 0 && words.length <= 60; cut--) {
    const [place] = valuePlaces(head.page, head.place, words.slice(0, cut).join(' '));
    const rest = words.slice(cut).join(' ');
    if (place && valuePlaces(tail.page, tail.place, rest).length > 0)
      return { part: head, place: { ...place, found: 'normalized' }, options: [place] };
  }
  return undefined;
}

export const countOf = (cells: readonly (Cell | undefined)[]): number =>
  cells.reduce((count, cell) => count + (cell ? 1 : 0), 0);
