import { call, type Target } from './api.ts';
import { poll } from './poll.ts';

/** The answer of `GET /user/stats`. */
export interface Stats {
  period: string;
  tokens: { total: number; prompt: number; completion: number };
  requests: number;
  estimated_cost_usd: number;
  models: { name: string; requests: number; tokens: number; cost_usd: number; pages: number }[];
}

/** Asks for a key's stats until so many requests are counted. */
export const statsAfter = (target: Target, requests: number): Promise<Stats> =>
  poll(
    async () => (await call<Stats>(target, 'GET', '/user/stats')).body,
    (stats) => stats.requests >= requests,
  );

/** What a key has spent of its budget. */
export async function usedUsd(target: Target): Promise<number> {
  const { body } = await call<{ budget: { used_usd: number } }>(target, 'GET', '/user/limits');
  return body.budget.used_usd;
}
