/**
 * Whether this run tries every case, as `npm run test:exhaustive` does. `npm test` tries few of each kind, the same
 * ones each time, and leaves out what is tagged `exhaustive`.
 */
export const isExhaustive = process.env['QUIRE_TEST_CASES'] === 'all';

/** Returns how often something is tried: few times in the quick run, and all in the exhaustive one. */
export const cases = (few: number, all: number): number => (isExhaustive ? all : few);

/** Returns all of them in the exhaustive run. In the quick one these are few, spread evenly from the first to the last. */
export function some<Row extends unknown[] | [unknown]>(few: number, all: readonly Row[]): Row[];
export function some<Case>(few: number, all: readonly Case[]): Case[];
export function some<Case>(few: number, all: readonly Case[]): Case[] {
  if (isExhaustive || all.length <= few) return [...all];
  const apart = (all.length - 1) / Math.max(1, few - 1);
  return Array.from({ length: few }, (_, at) => all[Math.round(at * apart)] as Case);
}
