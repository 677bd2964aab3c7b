import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { attacksOn } from './attacks.ts';
import { expressionsIn, expressionsMadeBy } from './source-expressions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A text of up to 2,000 letters takes no longer, in ms. */
const mostMs = 50;

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
      expect(busiestOn(new RegExp(pattern, 'u'))).not.toBeNull();
    },
  );

  const distinct = new Map(
    [...literals, ...made].map((each) => [`${each.file} ${each.expression}`, each]),
  );
  it.each([...distinct])(`is no work for %s`, (_, { expression }) => {
    expect(busiestOn(expression)).toBeNull();
  });
});

/** The beginning of an attack whose time grows faster than its text; null if there is none. */
function busiestOn(expression: RegExp): string | null {
  for (const attack of attacksOn(expression)) {
    // What is slow is slow again; a machine that stood still has gone on.
    if ([1, 2, 3].every(() => keepsBusy(expression, attack))) return attack(100);
  }
  return null;
}

/**
 * Whether an expression's time grows faster than an attack. A text is compared with a fourth of it that is tried four times: both
 * take as long, and are interrupted as often, unless each letter is looked at again and again.
 */
function keepsBusy(expression: RegExp, attack: (length: number) => string): boolean {
  for (const size of [16, 24, 32, 128, 512, 2_000]) {
    const took = quickestOf(expression, attack(size));
    if (took > mostMs) return true;
    if (size === 2_000 && took < 0.25) return false;
  }
  return growsFast(attack(2_000), attack(8_000)) || growsFast(attack(8_000), attack(32_000));

  function growsFast(short: string, long: string): boolean {
    let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // What takes so long was not only interrupted.
    const isLong = () => longMs > 4 * mostMs;
    for (let tries = 0; tries < (isLong() ? 2 : 10); tries++) {
      shortMs = Math.min(shortMs, timeOf(expression, short, 4));
      longMs = Math.min(longMs, timeOf(expression, long));
      if (longMs < 2 || longMs < 2.25 * shortMs) return false;
    }
    return true;
  }
}

/** The quickest of some tries. One that is too slow is tried more often. */
function quickestOf(expression: RegExp, text: string): number {
  let quickest = Number.POSITIVE_INFINITY;
  const isClose = () => quickest > mostMs && quickest < 4 * mostMs;
  for (let tries = 0; tries < 2 || (tries < 6 && isClose()); tries++) {
    quickest = Math.min(quickest, timeOf(expression, text));
    if (quickest < 0.2) break;
  }
  return quickest;
}

function timeOf(expression: RegExp, text: string, times = 1): number {
  const startedAt = performance.now();
  for (let time = 0; time < times; time++) {
    if (expression.global) text.replace(expression, '');
    else expression.test(text);
    expression.lastIndex = 0;
  }
  return performance.now() - startedAt;
}
