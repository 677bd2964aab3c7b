import type { Charge } from '../ledger/charge.ts';

/** What usage counts; `spend` in nano-dollars. A request that didn't fail was successful. */
export const figureNames = [
  'requests',
  'failed_requests',
  'prompt_tokens',
  'completion_tokens',
  'images',
  'spend',
] as const;

export type UsageFigures = Record<(typeof figureNames)[number], number>;

/** A key's usage as the table holds it: the figures of one entry; absent ones are 0. */
export type UsageItem = { key_id: string; entry: string } & Partial<UsageFigures>;

/** A charge that is over, and the revision of its key's usage that counts it, once there is one. */
export type EndedCharge = Charge & { ended_at: string; images?: number; counted_in?: number };

/** What one charge adds: a request, whether it succeeded or not. */
export const figuresOf = (charge: EndedCharge): UsageFigures => ({
  requests: 1,
  failed_requests: charge.failed ? 1 : 0,
  prompt_tokens: charge.prompt_tokens ?? 0,
  completion_tokens: charge.completion_tokens ?? 0,
  images: charge.images ?? 0,
  spend: charge.cost ?? 0,
});

/** The figures among an item's attributes; absent ones are 0. */
export const figuresIn = (item: Partial<UsageFigures> | undefined): UsageFigures =>
  figuresBy((name) => item?.[name] ?? 0);

export const sumOf = (all: readonly UsageFigures[]): UsageFigures =>
  figuresBy((name) => all.reduce((sum, each) => sum + each[name], 0));

export const difference = (more: UsageFigures, less: UsageFigures): UsageFigures =>
  figuresBy((name) => more[name] - less[name]);

export const isZero = (figures: UsageFigures) => figureNames.every((name) => figures[name] === 0);

const figuresBy = (figure: (name: keyof UsageFigures) => number) =>
  Object.fromEntries(figureNames.map((name) => [name, figure(name)])) as UsageFigures;
