import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { expressionsIn, expressionsMadeBy } from './source-expressions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

// A worker that has run many files has V8 interpret large expressions, which takes ten times as long.
const timing = new Worker(new URL('./timing-thread.ts', import.meta.url));
afterAll(() => timing.terminate());

/** The beginning of an attack that keeps an expression busy; null if there is none. */
async function busiestOn(expression: RegExp): Promise<string | null> {
  timing.postMessage(expression);
  const [found] = await once(timing, 'message');
  return found;
}

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
    async (pattern) => {
      expect(await busiestOn(new RegExp(pattern, 'u'))).not.toBeNull();
    },
  );

  const distinct = new Map(
    [...literals, ...made].map((each) => [`${each.file} ${each.expression}`, each]),
  );
  it.each([...distinct])(`is no work for %s`, async (_, { expression }) => {
    expect(await busiestOn(expression)).toBeNull();
  });
});
