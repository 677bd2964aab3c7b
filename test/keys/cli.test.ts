import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reach } from '../../lib/cli/target.ts';
import { readStageFile } from '../../lib/local/stage-file.ts';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { setting } from '../../shared/config.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import type { KeyRecord } from '../../shared/keys/key-record.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { release } from '../../shared/ledger/settle.ts';
import { furtherLimitTakes } from '../../shared/ledger/terms/further-limit.ts';
import { modelIds } from '../../shared/models/catalogue.ts';
import { shared } from '../support/run/shared.ts';
import { call } from '../support/servers/api.ts';
import { runCommand } from '../support/servers/command.ts';
import { newDataDir } from '../support/servers/stage.ts';
import { dayMs } from '../support/worlds/clock.ts';
import { accountOf } from '../support/worlds/ledger-world.ts';
import { startCloudFormationStub } from './cloudformation-stub.ts';

const { base_url, dataDir } = await shared('stage');

const aSecret = expect.stringMatching(/^sk-[0-9A-Za-z]{43}$/);
const aMoment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const shown = /sk-[0-9A-Za-z]{43}/g;
const unknownKey = 'key_01980000-0000-7000-8000-000000000000';

beforeAll(() => reach({ data: dataDir }, 'KEYS_TABLE', 'LEDGER_TABLE'));

describe.concurrent('create', () => {
  it('issues a key that nobody limited', { tags: 'exhaustive' }, async () => {
    const key = await answer('create', '--name', 'plain');

    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f-]{36}$/),
      name: 'plain',
      api_key: aSecret,
      budget_usd: null,
      duration: null,
      team: null,
      limits: [],
      images_per_hour: 100,
      requests_per_minute: 6_000,
      max_concurrent: 100,
      weight: 1,
      best_priority: 1,
      max_queued: 10_000,
      max_running: null,
      models: null,
      drive_folders: [],
      research_usd: null,
      expires_at: null,
      state: 'active',
      created_at: aMoment,
    });
    expect(await statusFor(key)).toBe(200);
  });

  it('issues a key with every limit', { tags: 'exhaustive' }, async () => {
    const key = await answer(
      'create',
      ...['--name', 'Acme & Søns', '--budget-usd', '0.000000001', '--duration', '1mo'],
      ...['--images-per-hour', '0', '--requests-per-minute', '60'],
      ...['--models', 'gpt-5, gpt-5-mini,gpt-5', '--drive-folders', '1a_B-c,2d'],
      ...['--research-usd', '0.25', '--weight', '3', '--best-priority', '20'],
      ...['--max-queued', '500', '--max-running', '5'],
      ...['--expires', '2199-12-31', '--yes'],
    );

    expect(key).toMatchObject({
      name: 'Acme & Søns',
      budget_usd: 0.000000001,
      duration: '1mo',
      images_per_hour: 0,
      requests_per_minute: 60,
      models: ['gpt-5', 'gpt-5-mini'],
      drive_folders: ['1a_B-c', '2d'],
      research_usd: 0.25,
      weight: 3,
      best_priority: 20,
      max_queued: 500,
      max_running: 5,
      expires_at: '2199-12-31T00:00:00.000Z',
    });
    expect(await answer('show', key.id)).toEqual(withoutSecret(key));
  });

  it('issues a key without a limit of requests to who wants that', async () => {
    const key = await answer('create', '--name', 'endless', '--requests-per-minute', 'none');

    expect(key).toMatchObject({ requests_per_minute: null });
  });

  it('reckons an expiry from now', async () => {
    const { created_at, expires_at } = await answer('create', '--name', 'a', '--expires', '90d');

    const livesMs = Date.parse(expires_at ?? '') - Date.parse(created_at);
    expect(livesMs / dayMs).toBeCloseTo(90, 3);
  });

  it('refuses a name in use, and takes that of a revoked key', { tags: 'exhaustive' }, async () => {
    const first = await answer('create', '--name', 'taken');

    const second = await keys('create', '--name', 'taken', '--data', dataDir);
    await keys('revoke', first.id, '--data', dataDir);
    const third = await answer('create', '--name', 'taken');

    expect(second).toEqual({
      code: 1,
      stdout: '',
      stderr: `The name taken is in use by ${first.id}: give another.\n`,
    });
    expect(third.name).toBe('taken');
  });

  it('gives a name once, however many want it at once', { tags: 'exhaustive' }, async () => {
    const exits = await Promise.all(
      Array.from({ length: 3 }, () => keys('create', '--name', 'contested', '--data', dataDir)),
    );

    expect(exits.filter(({ code }) => code === 0)).toHaveLength(1);
    const { stdout } = await keys('list', '--json', '--data', dataDir);
    const { keys: listed } = JSON.parse(stdout) as { keys: KeyRecord[] };
    expect(listed.filter(({ name }) => name === 'contested')).toHaveLength(1);
  });

  it.each([
    [['--budget-usd', '0'], 'A key with a budget of $0 can pay for nothing.'],
    [
      ['--drive-folders', 'local-drive,no-such-folder'],
      'The drive has no no-such-folder for this service.',
    ],
  ])('asks whether %j is meant, and takes --yes', { tags: 'exhaustive' }, async (args, doubt) => {
    const name = `doubted for ${args[0]}`;
    const asked = await keys('create', '--name', name, ...args, '--data', dataDir);
    const sure = await answer('create', '--name', name, ...args, '--yes');

    expect(asked).toEqual({ code: 1, stdout: '', stderr: `${doubt} Add --yes if you mean it.\n` });
    expect(sure.name).toBe(name);
  });

  it('asks nothing about a folder that is there', { tags: 'exhaustive' }, async () => {
    const key = await answer('create', '--name', 'reader', '--drive-folders', 'local-drive');

    expect(key.drive_folders).toEqual(['local-drive']);
  });

  it('shows the secret once, with a note, and stores it nowhere', {
    tags: 'exhaustive',
  }, async () => {
    const { stdout } = await keys('create', '--name', 'secretive', '--data', dataDir);

    const [secret = '', ...others] = stdout.match(shown) ?? [];
    expect(others).toEqual([]);
    expect(stdout).toContain("won't be shown again");
    expect(await statusFor({ api_key: secret })).toBe(200);
    const { Items } = await dynamodb.send(new ScanCommand({ TableName: setting('KEYS_TABLE') }));
    expect(JSON.stringify(Items)).toContain('secretive');
    expect(JSON.stringify(Items)).not.toContain(secret.slice(3));
  });
});

describe.concurrent('list and show', () => {
  it('list all keys, and no secret or hash', { tags: 'exhaustive' }, async () => {
    const { id, api_key, secret_hash } = await issueKey('listed', defaultLimits);
    const expires_at = '2020-01-01T00:00:00.000Z';
    const expired = await issueKey('bygone', { ...defaultLimits, expires_at });

    const [list, table] = await Promise.all([
      keys('list', '--json', '--data', dataDir),
      keys('list', '--data', dataDir),
    ]);

    const { keys: listed, ...rest } = JSON.parse(list.stdout) as { keys: KeyRecord[] };
    expect(rest).toEqual({});
    expect(listed.map((key) => key.id)).toEqual(listed.map((key) => key.id).sort());
    expect(listed).toContainEqual(expect.objectContaining({ id, name: 'listed', state: 'active' }));
    expect(listed).toContainEqual(expect.objectContaining({ id: expired.id, state: 'expired' }));
    for (const { stdout } of [list, table]) {
      expect(stdout).not.toMatch(shown);
      expect(stdout).not.toContain(api_key);
      expect(stdout).not.toContain(secret_hash);
      expect(stdout).not.toContain('secret_hash');
    }
  });

  it('the list is an aligned table', async () => {
    const limits = { ...defaultLimits, budget_usd: 12.5, duration: '30d' };
    const { id } = await issueKey('in the table', limits);

    const { stdout } = await keys('list', '--data', dataDir);

    const lines = stdout.trimEnd().split('\n');
    const [heading = ''] = lines;
    const row = lines.find((line) => line.startsWith(id)) ?? '';
    expect(heading).toMatch(
      /^id +name +state +(team +)?budget +spent +held +left +renews +used +queued +running +expires$/,
    );
    expect(row.slice(heading.indexOf('name'))).toMatch(/^in the table {2}/);
    expect(row.slice(heading.indexOf('budget'))).toMatch(/^\$12\.50 per 30d {2}/);
    expect(row.slice(heading.indexOf('spent'))).toMatch(/^\$0\.00 +\$0\.00 +\$12\.50 +/);
    expect(row.slice(heading.indexOf('renews'))).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}never +0 +0 /,
    );
    expect(row.slice(heading.indexOf('expires'))).toBe('never');
  });

  it('a key is shown a line a field', { tags: 'exhaustive' }, async () => {
    const { id } = await issueKey('shown', { ...defaultLimits, models: ['gpt-5'] });

    const { stdout } = await keys('show', id, '--data', dataDir);

    const [created, ...lines] = stdout.trimEnd().split('\n').sort();
    expect(created).toMatch(/^Drive folders {8}none$/);
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['a research', 'no limit of its own'],
      ['best priority', '1'],
      ['budget', 'no limit'],
      ['created', expect.stringMatching(/ UTC$/)],
      ['expires', 'never'],
      ['id', id],
      ['images per hour', '100'],
      ['jobs', '10000'],
      ['jobs running', 'no limit'],
      ['models', 'gpt-5'],
      ['name', 'shown'],
      ['requests at once', '100'],
      ['requests per minute', 'no limit'],
      ['state', 'active'],
      ['team', 'none'],
      ['turns', '1'],
    ]);
  });
});

describe.concurrent('set', () => {
  it('changes what is given, and nothing else', { tags: 'exhaustive' }, async () => {
    const { id } = await issueKey('before', { ...defaultLimits, requests_per_minute: 7 });
    const before = await answer('show', id);

    const after = await answer('set', id, '--name', 'after', '--budget-usd', '5');

    expect(after).toEqual({ ...before, name: 'after', budget_usd: 5 });
    expect(await answer('show', id)).toEqual(after);
  });

  it('sets limits beside the budget, shows what is used of them, and takes them away', async () => {
    const { id } = await issueKey('beside', defaultLimits);
    const limits = ['gpt-5:budget-usd=50/month@Europe/Berlin', 'customer:tokens-per-minute=9'];

    const set = await answer('set', id, ...limits.flatMap((limit) => ['--limit', limit]));
    const { stdout } = await keys('limits', id, '--data', dataDir);
    const shown = await keys('show', id, '--data', dataDir);
    const erased = await keys('limits', id, '--erase-customer', 'ada', '--data', dataDir);
    const none = await answer('set', id, '--limit', 'none');

    expect([set.limits, none.limits]).toEqual([limits, []]);
    expect(erased.stderr).toContain('No customer is listed as "ada".');
    expect(shown.stdout).toMatch(/^limits beside +gpt-5:budget-usd=50/m);
    expect(stdout).toMatch(
      /^limit +customer +used +held +left +resets\ngpt-5:budget-usd=50\/month@Europe\/Berlin +- +\$0\.00 +\$0\.00 +\$50\.00 +/,
    );
  });

  // As LiteLLM's keys have them: budget_limits of 24h and 30d; model_max_budget of gpt-4o; its issue 34896: a day of Tokyo.
  it('takes several windows, of a model and of each customer, and changes the one that is named', async () => {
    const made = await answer(
      ...['create', '--name', 'several', '--budget-usd', '10/24h', '--budget-usd', '100/30d'],
      ...['--budget-usd', '500', '--limit', 'gpt-4o:budget-usd=0.0000001/1d'],
      ...['--limit', 'gpt-5:tokens-per-minute=200000', '--per-customer', '2/day@Asia/Tokyo'],
    );
    const changed = await answer(
      ...['set', made.id, '--budget-usd', '20/24h', '--limit', 'max-concurrent=4'],
      ...['--limit', 'gpt-4o:budget-usd=none/1d'],
    );
    const anew = await answer('set', made.id, '--limit', 'none', '--budget-usd', '5/day');

    expect([made.budget_usd, changed.budget_usd, anew.budget_usd]).toEqual([500, 500, 500]);
    const daily = 'customer:budget-usd=2/day@Asia/Tokyo';
    expect(made.limits).toEqual([
      ...['budget-usd=10/24h', 'budget-usd=100/30d', 'gpt-4o:budget-usd=0.0000001/1d'],
      ...['gpt-5:tokens-per-minute=200000', daily],
    ]);
    expect(changed.limits).toEqual([
      ...['budget-usd=20/24h', 'budget-usd=100/30d', 'gpt-5:tokens-per-minute=200000', daily],
      'max-concurrent=4',
    ]);
    expect(anew.limits).toEqual(['budget-usd=5/day']);
  });

  it('takes no limit away that there is not, and eight at most', async () => {
    const { id } = await issueKey('full', { ...defaultLimits, limits: ['budget-usd=2/day'] });
    const windows = Array.from({ length: 8 }, (_, days) => ['--budget-usd', `5/${days + 1}d`]);

    const absent = await keys('set', id, '--per-customer', 'none/day', '--data', dataDir);
    const many = await keys('set', id, ...windows.flat(), '--data', dataDir);

    expect(absent.stderr).toBe('There is no limit customer:budget-usd/day to remove.\n');
    expect(many.stderr).toBe('8 limits beside the budget are the most, not 9.\n');
  });

  it('removes every limit by none', async () => {
    const { id } = await issueKey('limited', {
      budget_usd: 1,
      duration: '1d',
      team: null,
      limits: ['budget-usd=2/day'],
      images_per_hour: 1,
      requests_per_minute: 1,
      max_concurrent: 3,
      weight: 4,
      best_priority: 5,
      max_queued: 6,
      max_running: 7,
      models: ['gpt-5'],
      drive_folders: ['folder'],
      research_usd: 0.2,
      expires_at: '2199-01-01T00:00:00.000Z',
    });

    const key = await answer(
      ...['set', id, '--budget-usd', 'none', '--duration', 'none', '--models', 'none'],
      ...['--requests-per-minute', 'none', '--drive-folders', 'none', '--expires', 'none'],
      ...['--research-usd', 'none', '--max-concurrent', 'none'],
      ...['--max-queued', 'none', '--max-running', 'none'],
    );

    expect(key).toMatchObject({
      ...defaultLimits,
      limits: ['budget-usd=2/day'],
      images_per_hour: 1,
      max_concurrent: null,
      max_queued: null,
      weight: 4,
      best_priority: 5,
    });
  });

  it('refuses another key’s name, and takes its own', { tags: 'exhaustive' }, async () => {
    const other = await issueKey('the other’s', defaultLimits);
    const { id } = await issueKey('its own', defaultLimits);

    const refused = await keys('set', id, '--name', 'the other’s', '--data', dataDir);
    const taken = await answer('set', id, '--name', 'its own', '--images-per-hour', '5');

    expect(refused.stderr).toBe(`The name the other’s is in use by ${other.id}: give another.\n`);
    expect(taken).toMatchObject({ name: 'its own', images_per_hour: 5 });
  });

  it('asks whether a budget of 0 is meant', { tags: 'exhaustive' }, async () => {
    const { id } = await issueKey('to be stopped', defaultLimits);

    const { code } = await keys('set', id, '--budget-usd', '0', '--data', dataDir);
    const stopped = await answer('set', id, '--budget-usd', '0', '--yes');

    expect(code).toBe(1);
    expect(stopped.budget_usd).toBe(0);
  });

  it('says when the change takes effect', async () => {
    const { id } = await issueKey('told', defaultLimits);

    const { stdout } = await keys('set', id, '--images-per-hour', '5', '--data', dataDir);

    expect(stdout).toContain('takes effect within 60 seconds');
  });

  it('leaves no duration without a budget', { tags: 'exhaustive' }, async () => {
    const { id } = await issueKey('windowed', { ...defaultLimits, budget_usd: 1, duration: '1d' });

    const { code, stderr } = await keys('set', id, '--budget-usd', 'none', '--data', dataDir);

    expect(code).toBe(1);
    expect(stderr).toBe(
      'The duration 1d needs a budget: give --budget-usd too, or --duration none.\n',
    );
    expect(await answer('show', id)).toMatchObject({ budget_usd: 1, duration: '1d' });
  });

  it('gives a budget a duration later', async () => {
    const { id } = await issueKey('budgeted', { ...defaultLimits, budget_usd: 1 });

    expect(await answer('set', id, '--duration', '2w')).toMatchObject({
      budget_usd: 1,
      duration: '2w',
    });
  });

  it('gives a budget more in this window alone', async () => {
    const { id } = await issueKey('raised', { ...defaultLimits, budget_usd: 1, duration: '30d' });
    await answer('set', id, '--extra-usd', '20');
    await answer('set', id, '--max-concurrent', '7');
    const raised = await accountOf(id);
    const shown = await answer('set', id, '--extra-usd', '2.5');
    const { stdout } = await keys('history', id, '--limit', '1', '--data', dataDir);
    await keys('set', id, '--duration', 'none', '--data', dataDir);

    const { code, stderr } = await keys('set', id, '--extra-usd', '5', '--data', dataDir);

    expect(raised).toMatchObject({ ceiling: 21e9, available: 21e9, extra: 20e9 });
    expect(shown).toMatchObject({ budget_usd: 1, max_concurrent: 7 });
    expect(stdout).toContain('\n  extra_usd: $20.00 → $2.50');
    expect([code, stderr]).toEqual([
      1,
      '--extra-usd is until a budget renews, and this one never does.\n',
    ]);
  });

  it('gives one customer more in this window alone, and the history says whom', async () => {
    const limits = ['customer:budget-usd=1/day', 'customer:budget-usd=9'];
    const { id } = await issueKey('raising', { ...defaultLimits, budget_usd: 1, limits });
    const subject = { model: 'gpt-5', tags: [], metadata: { customer: 'ada\u001b' } };
    const held = await reserve(id, 1e8, subject);

    const set = await answer('set', id, '--extra-usd', '20', '--customer', 'ada\u001b');
    const { stdout } = await keys('history', id, '--limit', '1', '--data', dataDir);
    const shown = await keys('limits', id, '--data', dataDir);
    const unknown = await keys(
      ...['set', id, '--extra-usd', '1', '--customer', 'bob', '--data', dataDir],
    );
    const alone = await keys('set', id, '--customer', 'ada', '--data', dataDir);
    await release(held);

    expect(set.budget_usd).toBe(1);
    expect(await accountOf(id)).toMatchObject({ ceiling: 1e9 });
    expect(stdout).toContain(
      '\n  extra_usd of ada  by customer:budget-usd=1/day: $0.00 → $20.00\n',
    );
    expect(shown.stdout).toMatch(
      /^customer:budget-usd=1\/day +ada.* +\$0\.00 +\$0\.10 +\$20\.90 /m,
    );
    expect(unknown.stderr).toBe('No customer "bob" has called under a limit that renews.\n');
    expect(alone.stderr).toBe('--customer needs --extra-usd too.\n');
  });

  it('gives a budget the windows of a calendar, and an end of them', async () => {
    const { id } = await issueKey('planned', { ...defaultLimits, budget_usd: 1, duration: '30d' });
    const monthly = ['--window', 'month', '--zone', 'Europe/Berlin', '--anchor', '31'];

    const { stdout } = await keys('set', id, ...monthly, '--data', dataDir);
    const account = await accountOf(id);
    const ended = await answer('set', id, '--duration', 'none');

    expect(stdout).toMatch(/budget +\$1\.00 per month from 31, Europe\/Berlin/);
    expect(account.duration).toBe('month from 31, Europe/Berlin');
    expect(ended).toMatchObject({ budget_usd: 1, duration: null });
  });
});

describe.concurrent('rotate', () => {
  it('gives a new secret, and the old one goes on working in its grace', {
    tags: 'exhaustive',
  }, async () => {
    const old = await issueKey('rotated', defaultLimits);

    const renewed = await answer('rotate', old.id, '--grace', '1h');

    expect(renewed).toEqual({ ...(await answer('show', old.id)), api_key: aSecret });
    expect(renewed.api_key).not.toBe(old.api_key);
    expect(await statusFor(renewed)).toBe(200);
    expect(await statusFor(old)).toBe(200);
  });

  it('ends the old secret at once without a grace', async () => {
    const old = await issueKey('rotated at once', defaultLimits);

    const renewed = await answer('rotate', old.id, '--grace', '0');

    expect(await statusFor(renewed)).toBe(200);
    expect(await statusFor(old)).toBe(401);
  });

  it('gives a day of grace, and tells so with the new secret', async () => {
    const { id } = await issueKey('rotated by default', defaultLimits);
    const earliest = minute(Date.now() + dayMs);

    const { stdout } = await keys('rotate', id, '--data', dataDir);

    const latest = minute(Date.now() + dayMs);
    expect(stdout.match(shown)).toHaveLength(1);
    expect([earliest, latest]).toContain(stdout.match(/old one works until (.*) UTC/)?.[1]);
  });
});

describe.concurrent('revoke', () => {
  it('ends a key', { tags: 'exhaustive' }, async () => {
    const { id, api_key } = await issueKey('revoked', defaultLimits);

    const revoked = await answer('revoke', id);

    expect(revoked).toEqual({ ...(await answer('show', id)), state: 'revoked' });
    expect(await statusFor({ api_key })).toBe(401);
  });

  it('says when it takes effect', async () => {
    const { id } = await issueKey('revoked', defaultLimits);

    const { stdout } = await keys('revoke', id, '--data', dataDir);

    expect(stdout).toContain('stops working within 60 seconds');
    expect(stdout).toMatch(/state +revoked/);
  });
});

describe.concurrent('refuses in one sentence', () => {
  const usd =
    '--budget-usd takes US dollars from 0 to 1000000, with at most 9 decimals, as in 12.50';
  const time = 'takes a positive number and s, m, h, d, w or mo, as in 30d, up to a century';
  const when = '--expires takes a date (UTC) such as 2030-01-31, or a time from now such as 90d';
  const count = 'takes a whole number from 0 to 999999999';
  const models = modelIds.join(', ');
  const window =
    'takes US dollars and a window, as in 5/day, 50/month@Europe/Berlin or 20/30d, or none/day for none';
  const commands =
    'the commands are create, list, top, show, set, limits, rotate, webhooks, revoke, history.';
  const create = (...args: string[]) => ['create', '--name', 'refused', ...args];

  it.each([
    [[], `A command is missing; ${commands}`],
    [['issue'], `There is no command issue; ${commands}`],
    [['list', '--all'], 'There is no option --all; npm run keys -- --help lists the commands.'],
    [
      ['create', '--name', 'x', '--budget', '1'],
      'There is no option --budget (did you mean --budget-usd?); npm run keys -- --help lists the commands.',
    ],
    [
      ['list', '--grace', '1h'],
      'list has no option --grace; npm run keys -- list --help lists its options.',
    ],
    [['list', '--json=yes'], '--json takes no value.'],
    [['list', 'all'], 'list takes options only, not also all.'],
    [['create'], 'create needs a name for the key: --name NAME.'],
    [
      ['create', '--name'],
      '--name needs a value; one that starts with - is given as --name=VALUE.',
    ],
    [['create', '--name', ' '], '--name takes 1 to 100 printable characters, not " ".'],
    [create('--budget-usd', 'ten'), `${usd}, not "ten".`],
    [create('--budget-usd', '5/fortnight'), `--budget-usd ${window}, not "5/fortnight".`],
    [create('--budget-usd', '5/day@Mars/City'), `--budget-usd ${window}, not "5/day@Mars/City".`],
    [create('--budget-usd', '5/year-02-30'), `--budget-usd ${window}, not "5/year-02-30".`],
    [create('--per-customer', 'ada=2/day'), `--per-customer ${window}, not "ada=2/day".`],
    [create('--per-customer', '2/0d'), `--per-customer ${window}, not "2/0d".`],
    [create('--limit', 'gpt-5:tpm=9'), `--limit takes ${furtherLimitTakes}, not "gpt-5:tpm=9".`],
    [
      create('--budget-usd', '5/day', '--limit', 'budget-usd=6/day'),
      'The limit budget-usd/day is given twice: give it once.',
    ],
    [
      create('--budget-usd', '5', '--budget-usd', '6'),
      '--budget-usd is given twice: give it once.',
    ],
    [
      create('--limit', 'gpt-9:budget-usd=5/day'),
      `--limit takes models of the catalogue (${models}), not "gpt-9".`,
    ],
    [
      create('--limits', 'budget-usd=5/day'),
      'There is no option --limits (did you mean --limit?); npm run keys -- --help lists the commands.',
    ],
    [create('--weight', '2', '--weight', '3'), '--weight is given twice: give it once.'],
    [['list', '--json', '--json'], '--json is given twice: give it once.'],
    [['history', '--limit', '1', '--limit', '2'], '--limit is given twice: give it once.'],
    [['history', '--limit', 'none'], '--limit takes a whole number from 1 to 10000, not "none".'],
    [create('--budget-usd=-1'), `${usd}, not "-1".`],
    [create('--budget-usd', '0.0000000001'), `${usd}, not "0.0000000001".`],
    [create('--budget-usd', '1000000.01'), `${usd}, not "1000000.01".`],
    [create('--budget-usd', '1', '--duration', '0d'), `--duration ${time}, not "0d".`],
    [create('--budget-usd', '1', '--duration', '1y'), `--duration ${time}, not "1y".`],
    [
      create('--duration', '30d'),
      'The duration 30d needs a budget: give --budget-usd too, or --duration none.',
    ],
    [
      create('--window', 'month'),
      'The duration month, UTC needs a budget: give --budget-usd too, or --duration none.',
    ],
    [create('--window', 'decade'), '--window takes day, week, month, quarter, year, not "decade".'],
    [
      create('--window', 'day', '--zone', 'Mars/Olympus'),
      '--zone takes the name of a time zone, such as Europe/Berlin, not "Mars/Olympus".',
    ],
    [
      create('--window', 'month', '--anchor', '32'),
      '--anchor takes a day of the month from 1 to 31, not "32".',
    ],
    [create('--zone', 'Europe/Berlin'), '--zone and --anchor need --window too.'],
    [create('--window', 'day', '--duration', '1d'), 'Give --duration or --window, not both.'],
    [
      create('--extra-usd', '5'),
      'create has no option --extra-usd; npm run keys -- create --help lists its options.',
    ],
    [create('--images-per-hour', 'none'), `--images-per-hour ${count}, not "none".`],
    [create('--weight', '0'), '--weight takes a whole number from 1 to 1000, not "0".'],
    [
      create('--best-priority', '101'),
      '--best-priority takes a whole number from 1 to 100, not "101".',
    ],
    [create('--requests-per-minute', '1.5'), `--requests-per-minute ${count}, not "1.5".`],
    [
      create('--models', 'gpt-5,gpt-0'),
      `--models takes models of the catalogue (${models}), not "gpt-0".`,
    ],
    [
      create('--drive-folders', 'a,,b'),
      '--drive-folders takes ids of folders, separated by commas, not "a,,b".',
    ],
    [create('--expires', '2199-02-31'), `${when}, not "2199-02-31".`],
    [create('--expires', '2199-01-31T10:00'), `${when}, not "2199-01-31T10:00".`],
    [create('--expires', '2020-01-31'), '--expires takes a time to come, not "2020-01-31".'],
    [['set', unknownKey], 'There is nothing to change: give a name or a limit to set.'],
    [['rotate', unknownKey, '--grace', '1y'], `--grace ${time}, not "1y".`],
    [['show'], "show takes a key's id, key_…, or its name, as npm run keys -- list shows them."],
    [
      ['show', `sk-${'a'.repeat(43)}`],
      "show takes a key's id, key_…, or its name, as npm run keys -- list shows them.",
    ],
    [['show', unknownKey, 'key_2'], 'show takes one id, not also key_2.'],
    [['list', '--stack', 'quire'], '--stack and --data name two targets: give one of them.'],
    [['show', unknownKey], `There is no key ${unknownKey}.`],
    [['set', unknownKey, '--duration', '1d'], `There is no key ${unknownKey}.`],
    [['rotate', unknownKey], `There is no key ${unknownKey}.`],
    [['revoke', unknownKey], `There is no key ${unknownKey}.`],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await keys(...args, '--data', dataDir);

    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
  });
});

describe.concurrent('help', () => {
  it('names every command', async () => {
    const { code, stdout } = await keys('--help');

    expect(code).toBe(0);
    const withId = ['show ID', 'set ID', 'rotate ID', 'revoke ID', 'history [ID]'];
    for (const command of ['create', 'list', 'top', ...withId]) {
      expect(stdout).toContain(`\n  ${command}  `);
    }
  });

  it("names a command's own options", async () => {
    const { code, stdout } = await keys('rotate', '--help');

    expect(code).toBe(0);
    expect(stdout).toContain('npm run keys -- rotate ID [options]');
    expect(stdout.match(/--[a-z-]+(?= )/g)).toEqual(
      expect.arrayContaining(['--grace', '--data', '--stack', '--json', '--help']),
    );
    expect(stdout).not.toContain('--budget-usd');
  });
});

describe.concurrent('the local stage', () => {
  it('is asked for where none ever ran', async () => {
    const empty = newDataDir();

    const { code, stderr } = await keys('list', '--data', empty);

    rmSync(empty, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `No local stage is running in ${empty}: start it with npm start -- --data ${empty}, or name a deployed one with --stack.\n`,
    );
  });

  it('is asked for where it runs no more', async () => {
    const stopped = newDataDir();
    const nobodyListens = 'http://127.0.0.1:1';
    const file = { ...readStageFile(dataDir), dynamodb_url: nobodyListens };
    writeFileSync(join(stopped, 'stage.json'), JSON.stringify(file));

    const { code, stderr } = await keys('list', '--data', stopped);

    rmSync(stopped, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toContain(`No local stage is running in ${stopped}`);
  });

  it('is reached whatever AWS profile is set', { tags: 'exhaustive' }, async () => {
    const { code } = await run(['list', '--data', dataDir], { AWS_PROFILE: 'no-such-profile' });

    expect(code).toBe(0);
  });
});

describe.concurrent('a deployed stack', () => {
  let stub: Awaited<ReturnType<typeof startCloudFormationStub>>;
  const region = { AWS_REGION: 'eu-central-1', AWS_EC2_METADATA_DISABLED: 'true' };
  const nobody = { AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1' };
  const account = {
    ...region,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: readStageFile(dataDir)?.secret_access_key ?? '',
  };

  beforeAll(async () => {
    stub = await startCloudFormationStub({
      'quire-test': { ...readStageFile(dataDir)?.outputs },
      website: { BaseUrl: base_url },
    });
  });
  afterAll(() => stub.close());

  const inStack = (stack: string, env: Record<string, string>) =>
    run(['list', '--json', '--stack', stack], {
      AWS_ENDPOINT_URL_CLOUDFORMATION: stub.url,
      AWS_ENDPOINT_URL_DYNAMODB: readStageFile(dataDir)?.dynamodb_url ?? '',
      ...env,
    });

  it('is found by its name', { tags: 'exhaustive' }, async () => {
    const { id } = await issueKey('deployed', defaultLimits);

    const { stdout } = await inStack('quire-test', account);

    expect(JSON.parse(stdout).keys).toContainEqual(expect.objectContaining({ id }));
  });

  it.each([
    [
      'one that is not there',
      'gone',
      account,
      'There is no stack gone in this account and region.',
    ],
    [
      'another',
      'website',
      account,
      "The stack website has no output KeysTable, LedgerTable, JobsTable: is it Quire's, and of this version?",
    ],
    ['no credentials', 'quire-test', region, 'No AWS credentials were found: set AWS_PROFILE'],
    ['no region', 'quire-test', {}, 'No AWS region is set: set AWS_REGION.'],
    ['no answer', 'quire-test', { ...account, ...nobody }, 'The request to AWS failed: '],
  ])('is refused in one sentence: %s', async (_, stack, env, sentence) => {
    const { code, stdout, stderr } = await inStack(stack, env);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(sentence)]);
  });
});

const run = (args: string[], env?: Record<string, string>) =>
  runCommand('keys', dataDir, args, env);

const keys = (...args: string[]) => run(args);

/** The one JSON object that a command on the stage prints. */
async function answer(...args: string[]): Promise<KeyRecord> {
  const { stdout, stderr } = await keys(...args, '--json', '--data', dataDir);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as KeyRecord;
}

async function statusFor({ api_key = '' }: { api_key?: string }): Promise<number> {
  return (await call({ base_url, api_key }, 'GET', '/batch/jobs')).status;
}

function withoutSecret({ api_key: _, ...key }: KeyRecord) {
  return key;
}

const minute = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
