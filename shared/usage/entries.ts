import { dayOf } from './day.ts';
import type { EndedCharge } from './figures.ts';

/** The entry that sums up a key. */
export const totalEntry = 'total';

const modelEntry = (period: string, model: string) => `model#${period}#${model}`;

/** The entry that sums up a key's use of a model. */
export const modelTotalEntry = (model: string) => modelEntry('all', model);

/** The entries of the UTC day on which a charge ended: of its model, and of each of its tags. */
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

/** What an entry is of: a model or a tag, and of which day, or `all`; undefined for the total. */
export function readEntry(entry: string) {
  const [, kind, period, name] = entry.match(/^(model|tag)#([^#]+)#(.*)$/s) ?? [];
  if (!kind || !period || name === undefined) return undefined;
  return { kind: kind as 'model' | 'tag', period, name };
}

/** The bounds of the entries of a kind, from one period to another; `$` comes right after `#`. */
export const entryBounds = (kind: 'model' | 'tag', from: string, to: string) => ({
  from: `${kind}#${from}#`,
  to: `${kind}#${to}$`,
});
