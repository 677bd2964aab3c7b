import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { shared } from '../../support/run/shared.ts';
import { compileCache, inOwnProcess } from '../../support/servers/command.ts';

const tmp = mkdtempSync(join(tmpdir(), 'quire-cost-test-'));
afterAll(() => rmSync(tmp, { recursive: true, force: true }));

const run = (...args: string[]) =>
  inOwnProcess({ file: 'test/lab/cost/cost.ts', args, env: { HOME: tmp, ...compileCache } });

it('says what it does and takes', async () => {
  const { code, stdout } = await run('--help');

  expect(code).toBe(0);
  for (const option of ['--write', '--json']) expect(stdout).toContain(option);
});

it('refuses an option that it does not have, in a sentence', async () => {
  const { code, stdout, stderr } = await run('--jsn');

  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^There is no option --jsn \(did you mean --json\?\); npm run cost -- --help .*\n$/,
  );
});

it('that is interrupted stops its stage, and leaves nothing behind', {
  tags: 'exhaustive',
  timeout: 60_000,
}, async () => {
  const folder = join(tmp, 'folders');
  mkdirSync(folder);
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['test/lab/cost/cost.ts'], {
    env: { PATH, HOME, TMPDIR: folder, QUIRE_ASSEMBLY: await shared('assembly') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(child, 'exit');
  for await (const line of createInterface(child.stderr)) {
    if (line.includes('the schedules')) child.kill('SIGINT');
  }

  expect(await gone).toEqual([130, null]);
  expect(readdirSync(folder)).toEqual([]);
});
