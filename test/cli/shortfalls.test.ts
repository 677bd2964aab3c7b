import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AccountQuotas } from '../../lib/cli/deploy/account-quotas.ts';
import { settingsOf } from '../../lib/cli/deploy/given-context.ts';
import { shortfalls } from '../../lib/cli/deploy/shortfalls.ts';

const anyAccount: fc.Arbitrary<AccountQuotas> = fc
  .record({
    concurrency: fc.integer({ min: 1, max: 3_000 }),
    taken: fc.integer({ min: 0, max: 1_000 }),
    own: fc.integer({ min: 0, max: 600 }),
    pagesPerSecond: fc.double({ min: 0.1, max: 30, noNaN: true }),
  })
  .map(({ concurrency, taken, own, pagesPerSecond }) => ({
    lambda: { value: { concurrency, unreserved: Math.max(0, concurrency - taken - own) } },
    deployed: { value: `{"ReservedConcurrentExecutions": ${own}}` },
    gateway: { value: 10_000 },
    textract: { value: { pagesPerSecond, name: 'pages', code: 'L-1' } },
    table: { value: 40_000 },
  }));

const workers = fc.integer({ min: 2, max: 600 });

/** Settings that go together, as an operator gives them: text. */
const anySettings = fc
  .record(
    {
      'quire:concurrency': fc.integer({ min: 10, max: 3_000 }).map(String),
      'quire:chatWorkers': workers.map(String),
      'quire:ocrWorkers': workers.map(String),
      'quire:folderWorkers': workers.map(String),
      'quire:reservedConcurrency': fc.constantFrom('true', 'false'),
      'quire:textractPagesPerSecond': fc.integer({ min: 1, max: 30 }).map(String),
    },
    { requiredKeys: [] },
  )
  .filter((context) => {
    try {
      return settingsOf(context) !== undefined;
    } catch {
      return false;
    }
  });

it('any settings are lowered so that they fit each other and any account, and none is raised', () => {
  fc.assert(
    fc.property(anySettings, anyAccount, (context, account) => {
      const before = settingsOf(context);

      const { lowered } = shortfalls({ context, settings: before }, account);

      const after = settingsOf({ ...context, ...lowered });
      const { lambda, textract } = account as {
        lambda: { value: { concurrency: number } };
        textract: { value: { pagesPerSecond: number } };
      };
      expect(after.concurrency).toBeLessThanOrEqual(Math.max(10, lambda.value.concurrency));
      expect(after.textractPagesPerSecond).toBeLessThanOrEqual(
        Math.max(1, textract.value.pagesPerSecond),
      );
      for (const name of ['concurrency', 'chatWorkers', 'ocrWorkers', 'folderWorkers'] as const) {
        expect(after[name]).toBeLessThanOrEqual(before[name]);
      }
      // What was lowered needs no lowering again.
      const again = { ...context, ...lowered };
      expect(shortfalls({ context: again, settings: after }, account).lowered).toEqual({});
    }),
  );
});

it.each([
  ['with room for all others', { 'quire:reservedConcurrency': 'false' }, 80_000],
  ['as the part that is reserved for them', {}, 171_429],
])('asks for the quotas that so many requests a second need, %s', (_, more, functions) => {
  const context = { 'quire:requestsPerSecond': '20000', ...more };
  const quotas: AccountQuotas = {
    lambda: { value: { concurrency: 1_000, unreserved: 1_000 } },
    deployed: { value: undefined },
    gateway: { value: 10_000 },
    textract: { value: { pagesPerSecond: 5, name: 'pages', code: 'L-1' } },
    table: { value: 40_000 },
  };

  const { found, lowered } = shortfalls({ context, settings: settingsOf(context) }, quotas);

  const asked = found.map(({ ask }) => [ask?.quota.service, ask?.value]);
  expect(asked).toEqual([
    ...(functions ? [['lambda', functions]] : []),
    ['apigateway', 20_000],
    ['dynamodb', 68_000],
  ]);
  expect(lowered).toEqual({});
  const [{ sentence = '' } = {}] = found;
  if (functions)
    expect(sentence).toMatch(new RegExp(`wait in 60000 functions: .* ${functions}\\.`));
});
