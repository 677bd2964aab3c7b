import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, expect, it, vi } from 'vitest';
import { asCsv, asJson, asTable } from '../../lib/cli/usage/export.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { putCharge } from '../../shared/ledger/account/put-charge.ts';
import { type Hold, reserve } from '../../shared/ledger/reserve.ts';
import { release, settle } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { checkKeys } from '../../shared/usage/check.ts';
import type { ExportLine, ExportOptions } from '../../shared/usage/export.ts';
import { exportUsage } from '../../shared/usage/export.ts';
import type { EndedCharge } from '../../shared/usage/figures.ts';
import { rollUpUsage } from '../../shared/usage/roll-up.ts';
import { reportStats } from '../../shared/usage/stats.ts';
import { cases } from '../support/run/cases.ts';
import { expectWithin } from '../support/run/expect-within.ts';
import { dayMs, hourMs, minuteMs, stopClock } from '../support/worlds/clock.ts';
import { accountOf, chargesOf, sum } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';
import { endedCharge, eventOf, newKeyId } from '../support/worlds/usage-world.ts';

await useStore();
afterEach(() => {
  vi.useRealTimers();
});

const aCall = fc.record({
  key: fc.nat(2),
  at: fc.oneof(
    fc.nat(30 * dayMs),
    fc.nat(29).map((day) => (day + 1) * dayMs - 3 * minuteMs),
  ),
  lasts: fc.nat(14 * minuteMs),
  model: fc.constantFrom('gpt-5', 'gpt-5-mini', 'textract'),
  tags: fc.constantFrom(
    ['chat'],
    ['chat', 'chat:messages'],
    ['embeddings'],
    ['batch', 'batch:ocr'],
  ),
  metadata: fc.option(
    fc.record(
      { customer: fc.constantFrom('acme', 'zeta', ''), team: fc.constantFrom('a', 'b') },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  ),
  cost: fc.nat(1_000_000_000),
  promptTokens: fc.nat(99_999),
  completionTokens: fc.nat(9_999),
  images: fc.option(fc.nat(3), { nil: undefined }),
  ends: fc.constantFrom('settled', 'settled', 'settled', 'released', 'never', 'without credit'),
});

type Call = typeof aCall extends fc.Arbitrary<infer Value> ? Value : never;

const began = Date.parse('2026-11-01T00:00:00.000Z');
const days = { from: '2026-11-01', to: '2026-11-30' };
const durations = [null, '1w', '5d'];

/** Ends a call as it is to end, and has its charge counted, as the stream would. */
async function end(hold: Hold, call: Call): Promise<void> {
  const { cost, promptTokens, completionTokens, images } = call;
  const used = { promptTokens, completionTokens, ...(images !== undefined && { images }) };
  if (call.ends === 'settled') {
    await settle(hold, { costNanoUsd: cost, figures: 'exact', ...used });
  } else if (call.ends === 'released') {
    await release(hold);
  } else if (call.ends === 'without credit') {
    await putCharge({
      ...{ ...hold.charge, status: 'settled', cost, figures: 'exact' },
      ...{ prompt_tokens: promptTokens, completion_tokens: completionTokens },
      ...(images !== undefined && { images }),
      ended_at: new Date().toISOString(),
    });
  }
  const charges = (await chargesOf(hold.charge.key_id)) as EndedCharge[];
  await rollUpUsage(eventOf(charges.filter(({ entry }) => entry === hold.charge.entry)));
}

/** Lets the calls happen, each at its time; returns their keys. `look` sees the state after some of the events. */
async function happen(calls: Call[], look: (keys: { id: string }[]) => Promise<void>) {
  stopClock(new Date(began).toISOString());
  const keys = [];
  for (const [n, duration] of durations.entries()) {
    keys.push(await issueKey(`key ${n}`, { ...defaultLimits, budget_usd: 1_000, duration }));
  }
  const holds = new Map<Call, Hold>();
  const events = calls
    .flatMap((call) => [
      { at: call.at, call, isEnd: false },
      { at: call.at + call.lasts, call, isEnd: true },
    ])
    .sort((a, b) => a.at - b.at || Number(a.isEnd) - Number(b.isEnd));
  for (const [index, { at, call, isEnd }] of events.entries()) {
    vi.setSystemTime(began + at);
    const { model, tags, metadata } = call;
    const subject = { model, tags: [...tags], ...(metadata && { metadata: { ...metadata } }) };
    const hold = holds.get(call);
    if (isEnd && hold) await end(hold, call);
    else holds.set(call, await reserve(keys[call.key]?.id ?? '', call.cost, subject));
    if (index % 9 === 5) await sweepLedger();
    if (index % 9 === 7) await look(keys);
  }
  return keys;
}

/** What the export calls the dialect of a call, by its last tag. */
const dialects: Record<string, string> = {
  ...{ chat: 'chat', 'chat:messages': 'messages', embeddings: 'embeddings', 'batch:ocr': '' },
};

const hasCharge = ({ ends }: Call) => ends !== 'never';

/** What a line is to say of some calls. */
function figuresOf(calls: Call[]) {
  const settled = calls.filter(({ ends }) => ends !== 'released');
  return {
    requests: calls.length,
    failed_requests: calls.length - settled.length,
    prompt_tokens: sum(settled.map(({ promptTokens }) => promptTokens)),
    completion_tokens: sum(settled.map(({ completionTokens }) => completionTokens)),
    images: sum(settled.map(({ images = 0 }) => images)),
    cost_usd: (sum(settled.map(({ cost }) => cost)) / 1e9).toFixed(9),
  };
}

const dayOf = ({ at, lasts }: Call) => new Date(began + at + lasts).toISOString().slice(0, 10);

async function exported(
  keys: { id: string; name: string }[],
  options: Partial<ExportOptions> = {},
): Promise<{ lines: ExportLine[]; totals: object }> {
  const { lines, totals } = exportUsage(keys, { days, by: [], where: {}, ...options });
  return { lines: await Array.fromAsync(lines), totals: totals() };
}

it('the export of a month is what was settled, by key, day, model, dialect and tag, to the nano-dollar', async () => {
  await expectWithin(
    45_000,
    fc.asyncProperty(fc.array(aCall, { minLength: 10, maxLength: 30 }), async (calls) => {
      const keys = await happen(calls, async (some) => {
        const wrong = (await checkKeys(some, undefined)).filter(({ agrees }) => !agrees);
        expect(wrong).toEqual([]);
      });
      vi.setSystemTime(began + 30 * dayMs + hourMs);
      await sweepLedger();
      const within = calls.filter((call) => hasCharge(call) && dayOf(call) <= days.to);

      const { lines, totals } = await exported(keys, { by: ['customer', 'team'] });
      const groups = Map.groupBy(within, (call) =>
        JSON.stringify([
          keys[call.key]?.id,
          dayOf(call),
          call.model,
          dialects[call.tags.at(-1) ?? ''],
          [call.metadata?.customer ?? null, call.metadata?.team ?? null],
        ]),
      );
      const found = lines.map(({ key_id, key: _, day, model, dialect, values, ...figures }) => [
        JSON.stringify([key_id, day, model, dialect, values]),
        figures,
      ]);
      expect(found).toHaveLength(groups.size);
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries([...groups].map(([group, of]) => [group, figuresOf(of)])),
      );
      expect(totals).toEqual(figuresOf(within));

      const acmes = await exported(keys, { where: { customer: 'acme', team: 'a' } });
      expect(acmes.totals).toEqual(
        figuresOf(
          within.filter(({ metadata }) => metadata?.customer === 'acme' && metadata.team === 'a'),
        ),
      );

      for (const check of await checkKeys(keys, undefined)) {
        expect(check).toMatchObject({ agrees: true, compares_account: true });
        expect(check.under_way).toEqual({ charges: 0, epochs: 0 });
      }
      // A key whose budget never renews has spent what all its charges cost.
      const [first] = keys;
      const ofFirst = calls.filter(
        ({ key, ends }) => key === 0 && !['never', 'released'].includes(ends),
      );
      expect((await accountOf(first?.id ?? '')).spent).toBe(sum(ofFirst.map(({ cost }) => cost)));
    }),
    cases(2, 12),
  );
});

it('has the days and figures of the statistics', async () => {
  stopClock('2026-11-20T12:00:00.000Z');
  const key = await issueKey('shop', defaultLimits);
  const charges = await Promise.all(
    ['2026-11-18T23:59:59.999Z', '2026-11-19T00:00:00.000Z', '2026-11-20T11:00:00.000Z'].map(
      (ended_at, n) => endedCharge(key.id, { ended_at, cost: 7 + n, prompt_tokens: n, images: 1 }),
    ),
  );
  await rollUpUsage(eventOf(charges));

  const { days: shown } = await reportStats({ keyId: key.id, limits: '{}' }, { period: '7d' });
  const { lines } = await exported([key]);

  expect(
    lines.map(({ day, model, cost_usd, requests, prompt_tokens, images }) => [
      ...[day, model, Number(cost_usd), requests, prompt_tokens, images],
    ]),
  ).toEqual(
    shown.map(({ date, model, cost_usd, requests, prompt_tokens, pages }) => [
      ...[date, model, cost_usd, requests, prompt_tokens, pages],
    ]),
  );
  expect(lines.map(({ day }) => day)).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
});

it('has a call that began the day before and ended on the first day, and none that ended before', async () => {
  const id = newKeyId();
  const midnight = Date.parse('2026-11-10T00:00:00.000Z');
  const entry = () => `charge_${uuidv7({ msecs: midnight - 14 * minuteMs })}`;
  const ended = (ms: number) => new Date(midnight + ms).toISOString();
  await endedCharge(id, { cost: 5, entry: entry(), ended_at: ended(minuteMs) });
  await endedCharge(id, { cost: 7, entry: entry(), ended_at: ended(-1) });

  const { lines } = await exported([{ id, name: 'shop' }], {
    days: { from: '2026-11-10', to: '2026-11-10' },
  });

  expect(lines).toMatchObject([{ day: '2026-11-10', requests: 1, cost_usd: '0.000000005' }]);
});

it('reads keys of more charges than a page of the table', async () => {
  const id = newKeyId();
  const job_id = 'x'.repeat(20_000);
  const ended_at = '2026-11-10T10:00:00.000Z';
  await Promise.all(
    Array.from({ length: 70 }, () => endedCharge(id, { cost: 1, job_id, ended_at })),
  );
  const told: number[] = [];

  const { lines, totals } = exportUsage(
    [{ id, name: 'busy' }],
    { days, by: [], where: {} },
    (charges) => told.push(charges),
  );

  expect(await Array.fromAsync(lines)).toMatchObject([{ requests: 70, cost_usd: '0.000000070' }]);
  expect(totals()).toMatchObject({ requests: 70 });
  expect(told.length, 'pages').toBeGreaterThan(1);
  expect(told.at(-1)).toBe(70);
});

it('is exact beyond what a number holds', async () => {
  const ids = [newKeyId(), newKeyId()];
  const ended_at = '2026-11-10T10:00:00.000Z';
  for (const id of ids) await endedCharge(id, { cost: 8_999_999_999_999_999, ended_at });

  const { totals } = await exported(ids.map((id) => ({ id, name: 'rich' })));

  expect(totals).toMatchObject({ cost_usd: '17999999.999999998' });
});

const odd = [
  ['a formula', '=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['a sum', '+1', "'+1"],
  ['a comma', 'a,b', '"a,b"'],
  ['two lines', 'a\nb', '"a\nb"'],
  ['nothing', '', ''],
  ['a plain word', 'acme', 'acme'],
] as const;

it.each(odd)('CSV writes %s so that it is one cell and no formula', async (_, value, cell) => {
  const id = newKeyId();
  const ended_at = '2026-11-10T10:00:00.000Z';
  await endedCharge(id, { cost: 1, ended_at, metadata: { customer: value } });
  const options = { days, by: ['customer'], where: {} };
  const keys = [{ id, name: 'shop' }];

  const [head, line] = await Array.fromAsync(asCsv(exportUsage(keys, options), options));
  const json = await Array.fromAsync(asJson(exportUsage(keys, options), options));

  expect(head).toBe(
    'key_id,key,day,model,dialect,metadata.customer,requests,failed_requests,prompt_tokens,completion_tokens,images,cost_usd',
  );
  expect(line).toBe(`${id},shop,2026-11-10,gpt-5-mini,chat,${cell},1,0,0,0,0,0.000000001`);
  expect(JSON.parse(json.join('\n'))).toMatchObject({
    ...{ ...days, by: ['customer'] },
    lines: [{ metadata: { customer: value }, cost_usd: '0.000000001' }],
    totals: { requests: 1, cost_usd: '0.000000001' },
  });
});

it('a table has the sums as its last line, and no control characters of callers', async () => {
  const id = newKeyId();
  const ended_at = '2026-11-10T10:00:00.000Z';
  await endedCharge(id, { cost: 2, ended_at, metadata: { customer: '\u001b[31mred' } });
  await endedCharge(id, { cost: 3, ended_at });
  const options = { days, by: ['customer'], where: {} };

  const table = (
    await Array.fromAsync(asTable(exportUsage([{ id, name: 'shop' }], options), options))
  ).join('\n');

  expect(table).not.toContain('\u001b');
  expect(table.split('\n')).toHaveLength(4);
  expect(table).toMatch(/\ntotal .* 2 .* 0\.000000005$/);
});
