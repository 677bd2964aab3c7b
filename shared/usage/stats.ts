import type { Caller } from '../http/caller.ts';
import { toUsd } from '../ledger/nano-usd.ts';
import { lastDays } from './day.ts';
import { sumOf, type UsageFigures } from './figures.ts';
import { allUsesOfModels, usesBy } from './read.ts';
import type { Period, StatsReport } from './reports.ts';

/** Reports what the caller's calls of the period came to, failed ones included. */
export async function reportStats(
  { keyId }: Caller,
  { period }: { period: Period },
): Promise<StatsReport> {
  const uses = await (period === 'all'
    ? allUsesOfModels(keyId)
    : usesBy('model', keyId, lastDays(Number.parseInt(period, 10))));
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
      .map(({ name, figures }) => ({ name, requests: figures.requests, tokens: tokensOf(figures) }))
      .sort((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1)),
  };
}

const tokensOf = ({ prompt_tokens, completion_tokens }: UsageFigures) =>
  prompt_tokens + completion_tokens;
