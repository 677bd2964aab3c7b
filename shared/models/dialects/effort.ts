import type { Model } from '../catalogue.ts';
import type { Ask } from './ask.ts';

/** Budgets of thoughts, below which each effort is what they stand for. */
const efforts = [
  [4_096, 'low'],
  [16_384, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
] as const;

/** How hard a model is to think, in words: as asked, or for a reasoning model what a budget of thoughts stands for. */
export function effortOf({ reasoning }: Ask, model: Model): string | undefined {
  const { effort, budgetTokens } = reasoning ?? {};
  if (effort !== undefined || budgetTokens === undefined || !model.reasoning) return effort;
  return efforts.find(([below]) => budgetTokens < below)?.[1];
}
