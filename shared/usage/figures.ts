import type { Charge } from '../ledger/terms/charge.ts';

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
