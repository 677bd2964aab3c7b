import { dayOf } from './day.ts';
import type { EndedCharge } from './figures.ts';

/* The sort keys of a key's usage rows. `README.md` lists them. */

/** The entry of a key's total. */
export const totalEntry = 'total';

const modelEntry = (period: string, model: string) => `model#${period}#${model}`;

/** The entry of a key's total of one model. */
export const modelTotalEntry = (model: string) => modelEntry('all', model);

/** The entries of the UTC day on which a charge ended: one of its model, and one of each of its tags. */
export function dayEntriesOf({ ended_at, model, tags }: EndedCharge): string[] {
  const day = dayOf(ended_at);
  return [modelEntry(day, model), ...new Set(tags.map((tag) => `tag#${day}#${tag}`))];
}

/** Every entry that a charge adds to. */
export const entriesOf = (charge: EndedCharge) => [
  totalEntry,
  modelTotalEntry(charge.model),
  ...dayEntriesOf(charge),
];

/** Reads what an entry sums up: a model or a tag (`name`), in a day or in `all` days; undefined for the total. */
export function readEntry(entry: string) {
  const [, kind, period, name] = entry.match(/^(model|tag)#([^#]+)#(.*)$/s) ?? [];
  if (!kind || !period || name === undefined) return undefined;
  return { kind: kind as 'model' | 'tag', period, name };
}

/** The bounds of the entries of a kind in some periods, both included: `$` sorts right after `#`. */
export const entryBounds = (kind: 'model' | 'tag', from: string, to: string) => ({
  from: `${kind}#${from}#`,
  to: `${kind}#${to}$`,
});
