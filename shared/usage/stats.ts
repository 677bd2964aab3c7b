import type { Caller } from '../http/caller.ts';
import { toUsd } from '../ledger/terms/nano-usd.ts';
import { type Days, lastDays } from './day.ts';
import { sumOf, type UsageFigures } from './figures.ts';
import type { ModelDay, Period, StatsReport } from './reports.ts';
import { readTotalsByModel, readUses, type Use } from './use.ts';

/** Reports the caller's tokens, requests and cost in a period, by model and by day. Failed calls count as requests. */
export async function reportStats(
  { keyId }: Caller,
  { period }: { period: Period },
): Promise<StatsReport> {
  const byDay = readUses('model', keyId, daysOf(period));
  const [days, uses] = await Promise.all([
    byDay,
    period === 'all' ? readTotalsByModel(keyId) : byDay,
  ]);
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
    days: days.map(shown),
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

/** `all` begins before there was any key. */
const daysOf = (period: Period): Days =>
  period === 'all' ? { ...lastDays(1), from: '2000-01-01' } : lastDays(Number.parseInt(period, 10));

const shown = ({ period, name, images, spend, ...figures }: Use): ModelDay => ({
  date: period,
  model: name,
  ...figures,
  pages: images,
  cost_usd: toUsd(spend),
});

const tokensOf = ({ prompt_tokens, completion_tokens }: UsageFigures) =>
  prompt_tokens + completion_tokens;
