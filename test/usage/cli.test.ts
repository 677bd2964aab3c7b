import { beforeAll, describe, expect, it } from 'vitest';
import { reach } from '../../lib/cli/target.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { countCharges } from '../../shared/usage/count.ts';
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
  it('tells what differs, and changes nothing when it only looks', async () => {
    const id = await spoiledKey();

    const { code, stdout } = await usage('rebuild', id, '--dry-run', '--data', dataDir);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^entry +figure +kept +charged\ntotal +requests +-2 +1$/m);
    expect(stdout).toContain('Nothing was changed.');
    expect(await usageOf(id)).toMatchObject({ total: { requests: -2 } });
  });

  it('corrects what differs', async () => {
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
    [[], "rebuild takes a key's id, key_…, as npm run keys -- list shows them."],
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
