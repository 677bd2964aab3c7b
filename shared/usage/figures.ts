import type { Charge } from '../ledger/terms/charge.ts';
import { dayOf } from './day.ts';

/** What usage counts. `spend` is in nano-dollars, `images` are pages read by OCR. */
export const figureNames = [
  'requests',
  'failed_requests',
  'prompt_tokens',
  'completion_tokens',
  'images',
  'spend',
] as const;

export type UsageFigures = Record<(typeof figureNames)[number], number>;

/** A row of the usage table: the figures of one entry. Absent figures are 0. */
export type UsageItem = { key_id: string; entry: string } & Partial<UsageFigures>;

/** A charge that has ended. `counted_in` is the revision of its key's usage that has counted it, if its mark was read. */
export type EndedCharge = Charge & { ended_at: string; images?: number; counted_in?: number };

/** The figures that one charge adds. A released charge counts as a failed request. */
export const figuresOf = (charge: EndedCharge): UsageFigures => ({
  requests: 1,
  failed_requests: charge.failed ? 1 : 0,
  prompt_tokens: charge.prompt_tokens ?? 0,
  completion_tokens: charge.completion_tokens ?? 0,
  images: charge.images ?? 0,
  spend: charge.cost ?? 0,
});

/** Picks the figures from a row. Absent figures are 0. */
export const figuresIn = (item: Partial<UsageFigures> | undefined): UsageFigures =>
  figuresBy((name) => item?.[name] ?? 0);

export const sumOf = (all: readonly UsageFigures[]): UsageFigures =>
  figuresBy((name) => all.reduce((sum, each) => sum + each[name], 0));

export const difference = (more: UsageFigures, less: UsageFigures): UsageFigures =>
  figuresBy((name) => more[name] - less[name]);

export const isZero = (figures: UsageFigures) => figureNames.every((name) => figures[name] === 0);

const figuresBy = (figure: (name: keyof UsageFigures) => number) =>
  Object.fromEntries(figureNames.map((name) => [name, figure(name)])) as UsageFigures;

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
