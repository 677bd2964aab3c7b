import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { attacksOn } from './attacks.ts';
import { expressionsIn, expressionsMadeBy } from './source-expressions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The most that a text made against an expression may take. */
const mostMs = 50;
const length = 100_000;

const { literals, making } = expressionsIn(root);
// This one is made of an epoch's number when accounts are read.
making.delete('shared/ledger/audit/audit-account.ts');
const made = await expressionsMadeBy(root, making.keys());

describe('text of callers, providers and documents', () => {
  it('is met by expressions that are found', () => {
    expect(literals.length).toBeGreaterThan(200);
    expect(made.length).toBeGreaterThanOrEqual(making.values().reduce((all, each) => all + each));
  });

  it.each(['(a+)+$', '\\s+$', 'a*b?a*x', '(?:a|a)*b', '\\d+[\\s-]*(?:of)?[\\s-]*\\p{L}'])(
    'is found to keep %j busy',
    (pattern) => {
      expect(slowestOn(new RegExp(pattern, 'u'))).toBeGreaterThan(mostMs);
    },
  );

  const distinct = new Map(
    [...literals, ...made].map((each) => [`${each.file} ${each.expression}`, each]),
  );
  it.each([...distinct])(`is no work for %s`, (_, { expression }) => {
    expect(slowestOn(expression)).toBeLessThan(mostMs);
  });
});

/** The longest that any attack takes, in milliseconds, as soon as one takes too long. */
function slowestOn(expression: RegExp): number {
  let slowest = 0;
  for (const attack of attacksOn(expression)) {
    slowest = Math.max(slowest, timeOf(expression, attack));
    if (slowest > mostMs) return slowest;
  }
  return slowest;
}

/** One that grows as its text does is not tried to the end: so is none that could take hours. */
function timeOf(expression: RegExp, attack: (length: number) => string): number {
  for (const size of [16, 24, 32, 128, 512, 2_000]) {
    const took = quickestOf(expression, attack(size));
    if (took > mostMs) return took;
    if (size === 2_000 && took < 0.25) return took;
  }
  for (const size of [8_000, 30_000, length]) {
    const took = quickestOf(expression, attack(size));
    if (took > mostMs || size === length) return took;
  }
  return 0;
}

/** The quickest of some tries, as others work on the machine too. One that is just too slow is tried more often. */
function quickestOf(expression: RegExp, text: string): number {
  let quickest = Number.POSITIVE_INFINITY;
  const isClose = () => quickest > mostMs && quickest < 4 * mostMs;
  for (let tries = 0; tries < 3 || (tries < 20 && isClose()); tries++) {
    if (quickest < 0.2) break;
    const startedAt = performance.now();
    if (expression.global) text.replace(expression, '');
    else expression.test(text);
    quickest = Math.min(quickest, performance.now() - startedAt);
    expression.lastIndex = 0;
  }
  return quickest;
}
