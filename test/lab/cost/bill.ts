import { allowances, memoryOfOneCpuMb, type Priced, prices } from './prices.ts';

/** How much of each was used. */
export type Use = Partial<Record<Priced, number>>;

/** What one function did for one piece of work, on a processor of its own. */
export interface FunctionTime {
  memoryMb: number;
  invocations: number;
  /** From the beginning to the end of its invocations. */
  durationMs: number;
  /** The part of it in which it computed; the rest it waited. */
  cpuMs: number;
}

/** What a function's time uses of Lambda: what it computes takes longer with a share of a processor than with one. */
export function lambdaUse({ memoryMb, invocations, durationMs, cpuMs }: FunctionTime): Use {
  const slowdown = Math.max(1, memoryOfOneCpuMb / memoryMb);
  const billedMs = durationMs + cpuMs * (slowdown - 1);
  return { lambdaGbSecond: (memoryMb / 1024) * (billedMs / 1000), lambdaRequest: invocations };
}

/** Adds up uses. */
export function sum(...uses: Use[]): Use {
  const total: Use = {};
  for (const use of uses) {
    for (const [name, amount] of Object.entries(use)) {
      total[name as Priced] = (total[name as Priced] ?? 0) + amount;
    }
  }
  return total;
}

/** A use, so many times. */
export function times(use: Use, count: number): Use {
  return Object.fromEntries(Object.entries(use).map(([name, amount]) => [name, amount * count]));
}

/** What each part of a use costs by list price, in US dollars. */
export function costs(use: Use): Partial<Record<Priced, number>> {
  return Object.fromEntries(
    Object.entries(use).map(([name, amount]) => [name, amount * prices[name as Priced]]),
  );
}

/** What a use costs by list price, in US dollars. */
export const cost = (use: Use): number =>
  Object.values(costs(use)).reduce((total, usd) => total + usd, 0);

/** What a month's use costs an account that has its monthly allowances left. */
export const costBeyondAllowances = (use: Use): number =>
  cost(
    Object.fromEntries(
      Object.entries(use).map(([name, amount]) => [
        name,
        Math.max(0, amount - (allowances[name as Priced] ?? 0)),
      ]),
    ),
  );
