import { expect, it } from 'vitest';
import type { LimitsReport } from '../../shared/keys/limits-report.ts';
import { call } from '../support/servers/api.ts';
import { runCommand } from '../support/servers/command.ts';
import { useOwnStages } from '../support/servers/own-stages.ts';

const stages = useOwnStages();
// An assembly has its settings already.
const env = { QUIRE_ASSEMBLY: '', LEASES: 'on' };
const ceilingUsd = 0.005;

it('64 callers of four keys spend no more in a day than a stage may, and what they spend adds up', {
  tags: 'exhaustive',
  timeout: 180_000,
}, async () => {
  const args = ['--day-ceiling-usd', String(ceilingUsd)];
  const stage = await stages.start({ memory: true, env, args });
  const keys = async (...rest: string[]) => {
    const { stdout, stderr } = await runCommand('keys', stage.dataDir, [
      ...rest,
      ...['--data', stage.dataDir, '--json'],
    ]);
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  const tenants: { base_url: string; api_key: string }[] = [];
  for (const name of ['one', 'two', 'three', 'four']) {
    const { api_key } = await keys('create', '--name', name);
    tenants.push({ base_url: stage.base_url, api_key });
  }
  const ask = (index: number) =>
    call<{ error?: { code: string; message: string; budget?: object } }>(
      tenants[index % 4] ?? stage,
      ...(['POST', '/v1/chat/completions'] as const),
      { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 300 },
    );

  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  const isOver = () => answers.some(({ body }) => /next day begins/.test(`${body.error?.message}`));
  for (let waves = 0; waves < 20 && !isOver(); waves += 1)
    answers.push(...(await Promise.all(Array.from({ length: 64 }, (_, index) => ask(index)))));

  const limits = await Promise.all(
    tenants.map(async (each) => (await call<LimitsReport>(each, 'GET', '/user/limits')).body),
  );
  const nano = (usd: number | null = 0) => Math.round((usd ?? 0) * 1e9);
  const spent = limits.reduce((sum, { budget }) => sum + nano(budget.used_usd), 0);
  const [of] = (await keys('limits')).limits;
  expect(isOver()).toBe(true);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  for (const { body } of answers.filter(({ status }) => status === 429)) {
    expect(body.error).toMatchObject({ code: 'budget_exceeded' });
    expect(body.error?.message).toMatch(/^Budget exceeded: this service has reached/);
    expect(body.error).not.toHaveProperty('budget');
  }
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThanOrEqual(nano(ceilingUsd));
  expect(of).toMatchObject({ max: ceilingUsd, held: 0 });
  expect(nano(of.used)).toBe(spent);
  expect(JSON.stringify(limits)).not.toContain('deployment');
});
