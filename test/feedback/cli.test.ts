import { describe, expect, it } from 'vitest';
import { shared } from '../support/run/shared.ts';
import { call } from '../support/servers/api.ts';
import { runCommand } from '../support/servers/command.ts';
import { newCaller } from '../support/servers/new-caller.ts';

const stage = await shared('stage');
const { dataDir } = stage;
const feedback = (...args: string[]) =>
  runCommand('feedback', dataDir, [...args, '--data', dataDir]);

async function rate(rest: object): Promise<string> {
  const body = { session_id: 's', rating: 'down', ...rest };
  const caller = await newCaller(stage);
  const answer = await call<{ id: string }>(caller, 'POST', '/feedback', body);
  expect(answer.status).toBe(200);
  return answer.body.id;
}

describe.concurrent('feedback', () => {
  it('is summed up for people, with nothing in it that steers a terminal', {
    tags: 'exhaustive',
  }, async () => {
    await rate({ model: 'rated\u001b[2J', comment: 'too\u001b[31m\nred' });

    const { code, stdout } = await feedback('summary', '--days', '1');

    expect(code).toBe(0);
    expect(stdout).toMatch(/^model +up +down +share up +spent +per rating$/m);
    expect(stdout).toMatch(/^rated \[2J +0 +1 +0 % +- +-$/m);
    expect(stdout).toMatch(/^ {2}too \[31m red$/m);
    expect(stdout).not.toContain('\u001b');
  });

  it('is summed up for programs', { tags: 'exhaustive' }, async () => {
    await rate({ model: 'summed', rating: 'up' });
    await rate({ model: 'summed' });

    const { stdout } = await feedback('summary', '--json');

    const { models } = JSON.parse(stdout) as { models: { model: string }[] };
    expect(models.find(({ model }) => model === 'summed')).toEqual({
      ...{ model: 'summed', up: 1, down: 1, up_share: 0.5 },
      ...{ spend_usd: null, usd_per_rating: null },
    });
  });

  it('is exported one JSON object a line', { tags: 'exhaustive' }, async () => {
    const id = await rate({ model: 'exported', message_content: 'two\nlines', comment: 'so so' });

    const { stdout } = await feedback('export');

    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.find((line) => line.id === id)).toMatchObject({
      ...{ session_id: 's', rating: 'down', model: 'exported', comment: 'so so' },
      ...{ message_content: 'two\nlines', user_message: '' },
    });
  });

  const days = '--days takes a whole number from 1 to 400';

  it.each([
    [['summary', '--days', '0'], `${days}, not "0".`],
    [['export', '--days', '401'], `${days}, not "401".`],
    [['export', '--days', 'week'], `${days}, not "week".`],
    [
      ['export', '--json'],
      'export has no option --json; npm run feedback -- export --help lists its options.',
    ],
    [['list'], 'There is no command list; the commands are summary, export.'],
  ])('is not told, in one sentence: %j', async (args, sentence) => {
    expect(await feedback(...args)).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
  });

  it('tells what a rating is said to cost', { tags: 'exhaustive' }, async () => {
    const { stdout } = await feedback('summary', '--help');

    expect(stdout).toContain('"Per rating" is what all keys spent');
  });
});
