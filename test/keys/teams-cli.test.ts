import { beforeAll, describe, expect, it } from 'vitest';
import { reach } from '../../lib/cli/target.ts';
import { issueKey, readKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import type { KeyRecord } from '../../shared/keys/key-record.ts';
import { createTeam, type TeamRecord } from '../../shared/keys/team.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { shared } from '../support/run/shared.ts';
import { runCommand } from '../support/servers/command.ts';
import { accountOf } from '../support/worlds/ledger-world.ts';

const { dataDir } = await shared('stage');
const unknownTeam = 'team_01980000-0000-7000-8000-000000000000';
const noLimits = { budget_usd: null, duration: null };
const teams = (...args: string[]) => runCommand('teams', dataDir, [...args, '--data', dataDir]);
const keys = (...args: string[]) => runCommand('keys', dataDir, [...args, '--data', dataDir]);

beforeAll(() => reach({ data: dataDir }, 'KEYS_TABLE', 'LEDGER_TABLE'));

describe.concurrent('teams', () => {
  it('are made with a budget that renews, and an account to hold it', async () => {
    const { stdout } = await teams(
      ...['create', '--name', 'made', '--budget-usd', '12.5', '--duration', '1mo', '--json'],
    );

    const team = JSON.parse(stdout) as TeamRecord;
    expect(team).toEqual({
      id: expect.stringMatching(/^team_[0-9a-f-]{36}$/),
      name: 'made',
      budget_usd: 12.5,
      duration: '1mo',
      created_at: expect.any(String),
      budget: {
        ...{ max_usd: 12.5, used_usd: 0, remaining_usd: 12.5, held_usd: 0, unlimited: false },
        ...{
          reset_at: expect.any(String),
          duration: '1mo',
          calendar: null,
          reset_at_local: expect.any(String),
        },
      },
      keys: [],
    });
    expect(await accountOf(team.id)).toMatchObject({ available: 12.5e9, name: 'made' });
  });

  it('are shown with what their keys have spent, and their keys', {
    tags: 'exhaustive',
  }, async () => {
    const team = await createTeam({ name: 'shown', budget_usd: 1, duration: null });
    const { id } = await issueKey('of a shown team', { ...defaultLimits, team: team.id });
    const hold = await reserve(id, 5e8, { model: 'gpt-5', tags: ['chat'] });
    const outcome = { figures: 'exact', promptTokens: 1, completionTokens: 1 } as const;
    await settle(hold, { costNanoUsd: 25e7, ...outcome });

    const shown = await teams('show', team.id);
    const list = await teams('list');
    const key = await keys('show', id);

    const [fields = '', members = ''] = shown.stdout.split('\n\n');
    expect(fields.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['id', team.id],
      ['name', 'shown'],
      ['budget', '$1.00'],
      ['spent', '$0.25'],
      ['held', '$0.00'],
      ['left', '$0.75'],
      ['resets', 'never'],
      ['created', expect.stringMatching(/ UTC$/)],
    ]);
    expect(members).toMatch(new RegExp(`^key +name +state\n${id}  of a shown team  active\n$`));
    expect(list.stdout).toMatch(/^id +name +keys +budget +spent +held +left +resets\n/);
    expect(list.stdout).toMatch(
      new RegExp(`${team.id}  shown +1 +\\$1\\.00 +\\$0\\.25 +\\$0\\.00 +\\$0\\.75 +never\n`),
    );
    expect(key.stdout).toMatch(new RegExp(`\nteam +shown ${team.id}\n`));
  });

  it('are named in the list of keys, which has the id in JSON', {
    tags: 'exhaustive',
  }, async () => {
    const team = await createTeam({ name: 'listed team', ...noLimits });
    const member = await issueKey('a member', { ...defaultLimits, team: team.id });
    const loner = await issueKey('a loner', defaultLimits);

    const { stdout } = await keys('list');
    const json = await keys('list', '--json');

    expect(stdout).toMatch(/^id +name +state +team +budget +spent +/);
    expect(stdout).toMatch(new RegExp(`\n${member.id}  a member +active +listed team +no limit `));
    expect(stdout).toMatch(new RegExp(`\n${loner.id}  a loner +active +- +no limit `));
    const { keys: listed } = JSON.parse(json.stdout) as { keys: KeyRecord[] };
    const teamOf = (id: string) => listed.find((key) => key.id === id)?.team;
    expect([teamOf(member.id), teamOf(loner.id)]).toEqual([team.id, null]);
  });

  it('are changed at once, in name and budget', { tags: 'exhaustive' }, async () => {
    const team = await createTeam({ name: 'unchanged', ...noLimits });

    const { stdout } = await teams(
      ...['set', team.id, '--name', 'changed', '--budget-usd', '3', '--duration', '30d', '--json'],
    );
    const { code } = await teams('set', team.id, '--budget-usd', 'none', '--duration', 'none');

    expect(JSON.parse(stdout)).toMatchObject({
      ...{ id: team.id, name: 'changed', budget_usd: 3, duration: '30d' },
      budget: { max_usd: 3, unlimited: false },
    });
    expect(code).toBe(0);
    expect(await accountOf(team.id)).toMatchObject({ name: 'changed', duration: null });
  });

  it('renew by a calendar', async () => {
    const made = await teams(
      ...['create', '--name', 'planned', '--budget-usd', '3', '--window', 'week'],
      ...['--zone', 'Asia/Kolkata', '--anchor', 'friday', '--json'],
    );

    const { id, duration, budget } = JSON.parse(made.stdout) as TeamRecord;
    const fridays = 'week from friday, Asia/Kolkata';
    expect([duration, (await accountOf(id)).duration]).toEqual([fridays, fridays]);
    expect(budget.duration).toBe('1w');
    await teams('set', id, '--extra-usd', '1.5');
    const { stdout } = await teams('history', id, '--limit', '1');
    expect(await accountOf(id)).toMatchObject({ ceiling: 4.5e9, extra: 1.5e9 });
    expect(stdout).toContain('extra_usd: $0.00 → $1.50');
    expect(budget.reset_at_local).toMatch(/T00:00:00\+05:30$/);
  });

  it('have several windows, limits of models and of customers, and refuse models that there are not', async () => {
    const beside = [
      '--budget-usd',
      '10/day',
      '--budget-usd',
      '100/month',
      '--per-customer',
      '1/day',
    ];
    const made = await teams('create', '--name', 'tiered', ...beside, '--json');
    const { id } = JSON.parse(made.stdout) as TeamRecord;

    const set = await teams('set', id, '--limit', 'gpt-5:budget-usd=50/month', '--json');
    const unknown = await teams('set', id, '--limit', 'gpt-9:budget-usd=50/month');
    const nobody = await teams('set', id, '--extra-usd', '20', '--customer', 'ada');

    expect(JSON.parse(set.stdout)).toMatchObject({
      budget_usd: null,
      limits: [
        ...['budget-usd=10/day', 'budget-usd=100/month', 'customer:budget-usd=1/day'],
        'gpt-5:budget-usd=50/month',
      ],
    });
    expect(nobody.stderr).toBe('No customer "ada" has called under a limit that renews.\n');
    expect(unknown.stderr).toMatch(
      /^--limit takes models of the catalogue \(.*\), not "gpt-9"\.\n$/,
    );
  });

  it('take a key by create and by set, by id and by name, and let it go by none', async () => {
    const first = await createTeam({ name: 'first', ...noLimits });
    const second = await createTeam({ name: 'second', ...noLimits });

    const created = await keys('create', '--name', 'moved', '--team', first.id, '--json');
    const { id } = JSON.parse(created.stdout) as KeyRecord;
    const before = (await accountOf(id)).team;
    await keys('set', id, '--team', 'second');
    const between = [(await accountOf(id)).team, (await readKey(id)).team];
    await keys('set', id, '--team', 'none');

    expect(before).toBe(first.id);
    expect(between).toEqual([second.id, second.id]);
    expect(await accountOf(id)).not.toHaveProperty('team');
    expect((await readKey(id)).team).toBeNull();
  });

  it('have names of their own', async () => {
    const team = await createTeam({ name: 'taken team', ...noLimits });

    const { code, stderr } = await teams('create', '--name', 'taken team');

    expect(code).toBe(1);
    expect(stderr).toBe(`The name taken team is in use by ${team.id}: give another.\n`);
  });

  it.each([
    [['create'], 'create needs a name for the team: --name NAME.'],
    [
      ['create', '--name', 'x', '--duration', '1d'],
      'The duration 1d needs a budget: give --budget-usd too, or --duration none.',
    ],
    [
      ['create', '--name', 'x', '--budget-usd', '0'],
      'The keys of a team with a budget of $0 can pay for nothing. Add --yes if you mean it.',
    ],
    [
      ['show', 'key_1'],
      "show takes a team's id, team_…, or its name, as npm run teams -- list shows them.",
    ],
    [['show', unknownTeam], `There is no team ${unknownTeam}.`],
    [
      ['set', unknownTeam],
      'There is nothing to change: give a name, a budget, limits, a duration, a window or a webhook.',
    ],
    [['set', unknownTeam, '--budget-usd', '1'], `There is no team ${unknownTeam}.`],
  ])('are refused in one sentence: %j', async (args, sentence) => {
    expect(await teams(...args)).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
  });

  it.each([unknownTeam, 'no such team'])(
    'are refused to a key in one sentence: %s',
    async (team) => {
      const { id } = await issueKey('refused a team', defaultLimits);
      const stderr = 'There is no team of this id or name: npm run teams -- list shows them.\n';

      expect(await keys('set', id, '--team', team)).toEqual({ code: 1, stdout: '', stderr });
    },
  );

  it('have help for every command', async () => {
    const { stdout } = await runCommand('teams', dataDir, ['--help']);
    const set = await runCommand('teams', dataDir, ['set', '--help']);

    for (const command of ['create', 'list', 'show ID', 'set ID', 'webhooks ID', 'history [ID]']) {
      expect(stdout).toContain(`\n  ${command}  `);
    }
    expect(set.stdout).toContain('npm run teams -- set ID [options]');
    expect(set.stdout).toContain('--budget-usd USD');
  });
});
