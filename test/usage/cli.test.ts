import { beforeAll, describe, expect, it } from 'vitest';
import { reach } from '../../lib/cli/target.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { countCharges } from '../../shared/usage/count.ts';
import { dayOf } from '../../shared/usage/day.ts';
import { shared } from '../support/run/shared.ts';
import { runCommand } from '../support/servers/command.ts';
import { spoil } from '../support/worlds/spoil-usage.ts';
import { endedCharge, usageOf } from '../support/worlds/usage-world.ts';

const { dataDir } = await shared('stage');
const unknownKey = 'key_01980000-0000-7000-8000-000000000000';
const usage = (...args: string[]) => runCommand('usage', dataDir, args);

beforeAll(() => reach({ data: dataDir }, 'KEYS_TABLE', 'LEDGER_TABLE', 'USAGE_TABLE'));

/** A key with one charge, counted though one figure of its total is not what it should be. */
async function spoiledKey(): Promise<string> {
  const { id } = await issueKey('spoiled', defaultLimits);
  await countCharges(id, [await endedCharge(id, { cost: 9 })]);
  await spoil(id, 0);
  return id;
}

describe.concurrent('rebuild', () => {
  it('tells what differs, and changes nothing when it only looks', {
    tags: 'exhaustive',
  }, async () => {
    const id = await spoiledKey();

    const { code, stdout } = await usage('rebuild', id, '--dry-run', '--data', dataDir);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^entry +figure +kept +charged\ntotal +requests +-2 +1$/m);
    expect(stdout).toContain('Nothing was changed.');
    expect(await usageOf(id)).toMatchObject({ total: { requests: -2 } });
  });

  it('corrects what differs', { tags: 'exhaustive' }, async () => {
    const id = await spoiledKey();

    const { stdout } = await usage('rebuild', id, '--json', '--data', dataDir);
    const again = await usage('rebuild', id, '--data', dataDir);

    expect(JSON.parse(stdout)).toMatchObject({
      ...{ key_id: id, dry_run: false, charges: 1, missed: 0 },
      differences: [{ entry: 'total', kept: { requests: -2 }, charged: { requests: 1 } }],
    });
    expect(again.stdout).toBe(`The usage of ${id} agrees with its charges, 1 in all.\n`);
    expect(await usageOf(id)).toMatchObject({ total: { requests: 1, spend: 9 } });
  });

  it.each([
    [[], "rebuild takes a key's id, key_…, or its name, as npm run keys -- list shows them."],
    [[unknownKey], `There is no key ${unknownKey}.`],
    [
      [unknownKey, '--days', '3'],
      'There is no option --days; npm run usage -- --help lists the commands.',
    ],
  ])('refuses in one sentence: %j', async (args, sentence) => {
    const exit = await usage('rebuild', ...args, '--data', dataDir);

    expect(exit).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
  });

  it('says how it is called', async () => {
    const { stdout } = await usage('rebuild', '--help');

    expect(stdout).toContain('npm run usage -- rebuild ID [options]');
    expect(stdout).toContain('--dry-run');
  });
});

const today = dayOf(Date.now());
const yesterday = dayOf(Date.now() - 86_400_000);

describe.concurrent('export', () => {
  it('prints a line for each key, day, model and tag as CSV, as JSON and as a table', {
    tags: 'exhaustive',
  }, async () => {
    const { id } = await issueKey('invoiced', defaultLimits);
    const first = await endedCharge(id, { cost: 5, metadata: { customer: 'acme', team: 'a' } });
    const day = dayOf(first.ended_at);
    await endedCharge(id, {
      ...{ cost: 7, metadata: { customer: 'zeta' }, ended_at: first.ended_at },
    });
    const all = ['export', '--from', yesterday, '--key', id, '--data', dataDir];

    const csv = await usage(...all, '--csv', '--by', 'customer', '--by', 'team');
    const json = await usage(...all, '--json', '--tag', 'customer=acme', '--tag', 'team=a');
    const table = await usage(...all);

    const lines = csv.stdout.trimEnd().split('\n');
    expect(lines.slice(1)).toEqual([
      `${id},invoiced,${day},gpt-5-mini,chat,acme,a,1,0,0,0,0,0.000000005`,
      `${id},invoiced,${day},gpt-5-mini,chat,zeta,,1,0,0,0,0,0.000000007`,
    ]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      tags: { customer: 'acme', team: 'a' },
      lines: [{ key_id: id, day, requests: 1, cost_usd: '0.000000005' }],
      totals: { cost_usd: '0.000000005' },
    });
    expect(table.stdout).toMatch(/^total .* 0\.000000012$/m);
  });

  it('takes a key by its name', { tags: 'exhaustive' }, async () => {
    const { id, name } = await issueKey('invoiced-by-name', defaultLimits);
    await endedCharge(id, { cost: 3 });

    const all = ['export', '--from', yesterday, '--data', dataDir, '--json'];
    const { stdout } = await usage(...all, '--key', name);

    expect(JSON.parse(stdout)).toMatchObject({ lines: [{ key_id: id }], totals: { requests: 1 } });
  });

  it.each([
    [['--from', '2026-11-31'], '--from takes a day such as 2026-11-01, not "2026-11-31".'],
    [
      ['--from', '2020-01-01'],
      /^--from takes a day from \S+ on, as charges are kept for 400 days\.$/,
    ],
    [['--from', today, '--to', yesterday], `--from ${today} is after --to ${yesterday}.`],
    [['--tag', 'customer'], '--tag takes NAME=VALUE, not "customer".'],
    [
      ['--tag', 'customer=acme', '--tag', 'customer=globex'],
      '--tag gives customer two values, and a charge has one: export each.',
    ],
    [['--csv', '--json'], '--csv and --json name two formats: give one of them.'],
    [
      ['--key', unknownKey],
      '--key takes the id or the name of a key, as npm run keys -- list shows.',
    ],
  ])('refuses in one sentence: %j', async (args, sentence) => {
    const { code, stdout, stderr } = await usage('export', ...args, '--data', dataDir);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    if (typeof sentence === 'string') expect(stderr).toBe(`${sentence}\n`);
    else expect(stderr.trimEnd()).toMatch(sentence);
  });
});

describe.concurrent('check', () => {
  it('exits with 0 where all agrees, and with 1 and the difference where not', {
    tags: 'exhaustive',
  }, async () => {
    const { id: sound } = await issueKey('sound', defaultLimits);
    const spoiled = await spoiledKey();

    const good = await usage('check', sound, '--data', dataDir);
    const bad = await usage('check', spoiled, '--data', dataDir);
    const json = await usage('check', spoiled, '--json', '--data', dataDir);

    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(bad).toMatchObject({ code: 1, stderr: '' });
    expect(bad.stdout).toContain(`npm run usage -- rebuild ${spoiled}`);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ keys: 1, agreeing: 0 });
  });

  it('is of all keys unless one is named', { tags: 'exhaustive' }, async () => {
    const { stdout } = await usage('check', '--json', '--data', dataDir);

    expect(JSON.parse(stdout).keys).toBeGreaterThan(1);
  });

  it('says that its id may be left out', { tags: 'exhaustive' }, async () => {
    const { stdout } = await usage('check', '--help');

    expect(stdout).toContain('npm run usage -- check [ID] [options]');
  });
});
