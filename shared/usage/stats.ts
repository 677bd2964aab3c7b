import type { Caller } from '../http/caller.ts';
import { toUsd } from '../ledger/nano-usd.ts';
import { lastDays } from './day.ts';
import { sumOf, type UsageFigures } from './figures.ts';
import type { Period, StatsReport } from './reports.ts';
import { readTotalsByModel, readUses } from './use.ts';

/**
 * Reports the tokens, requests and cost of the caller's calls in a period, and each model's share. Failed
 * calls count as requests.
 */
export async function reportStats(
  { keyId }: Caller,
  { period }: { period: Period },
): Promise<StatsReport> {
  const uses = await (period === 'all'
    ? readTotalsByModel(keyId)
    : readUses('model', keyId, lastDays(Number.parseInt(period, 10))));
  const total = sumOf(uses);
  return {
    period,
    tokens: {
      total: tokensOf(total),
      prompt: total.prompt_tokens,
      completion: total.completion_tokens,
    },
    requests: total.requests,
    estimated_cost_usd: toUsd(total.spend),
    models: [...Map.groupBy(uses, ({ name }) => name)]
      .map(([name, of]) => ({ name, figures: sumOf(of) }))
      .map(({ name, figures }) => ({
        name,
        requests: figures.requests,
        tokens: tokensOf(figures),
        cost_usd: toUsd(figures.spend),
        pages: figures.images,
      }))
      .sort((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1)),
  };
}

const tokensOf = ({ prompt_tokens, completion_tokens }: UsageFigures) =>
  prompt_tokens + completion_tokens;
