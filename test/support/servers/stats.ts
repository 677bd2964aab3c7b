import { setTimeout } from 'node:timers/promises';
import { call, type Target } from './api.ts';

/** The answer of `GET /user/stats`. */
export interface Stats {
  period: string;
  tokens: { total: number; prompt: number; completion: number };
  requests: number;
  estimated_cost_usd: number;
  models: { name: string; requests: number; tokens: number }[];
}

/** Asks a key's stats again and again until so many requests are counted. */
export async function statsAfter(target: Target, requests: number): Promise<Stats> {
  for (;;) {
    const { body } = await call<Stats>(target, 'GET', '/user/stats');
    if (body.requests >= requests) return body;
    await setTimeout(25);
  }
}

/** What a key has spent of its budget. */
export async function usedUsd(target: Target): Promise<number> {
  const { body } = await call<{ budget: { used_usd: number } }>(target, 'GET', '/user/limits');
  return body.budget.used_usd;
}
