import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { isExhaustive } from '../support/run/cases.ts';
import { shared } from '../support/run/shared.ts';
import { chatJob, submit } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useOwnStages } from '../support/servers/own-stages.ts';
import { processesOf, untilGone } from '../support/servers/processes.ts';

const stub = await useModelStub();
const stages = useOwnStages();

it('stops within 5 seconds of Ctrl-C, also while a call hangs, and leaves no engine behind', async () => {
  stub.respond({ kind: 'hang' });
  const env = { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: stub.url };
  const stage = await stages.start({ env });
  if (isExhaustive) {
    await submit(stage, chatJob('hang'));
    await stub.nextRequest();
  }

  const start = Date.now();
  await stage.kill('SIGINT');

  expect(Date.now() - start).toBeLessThan(5_000);
  expect(stage.process.exitCode).toBe(130);
  expect(stage.lines.filter((line) => line.includes('problem'))).toEqual([]);
  await untilGone(stage.dataDir);
});

/** A parent that starts a stage and then does nothing. */
const parentCode = `
  require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' });
`;

it('stops when its parent process dies', { tags: 'exhaustive' }, async () => {
  const dataDir = stages.newDataDir();
  const stageCommand = ['bin/local.ts', '--port', '0', '--data', dataDir];
  const parent = spawn(process.execPath, ['-e', parentCode, ...stageCommand], {
    env: { ...process.env, QUIRE_ASSEMBLY: await shared('assembly') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(parent.stdout)) if (line.startsWith('Ctrl-C')) break;
  const running = processesOf(dataDir);

  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await untilGone(dataDir);

  expect(running.length).toBeGreaterThanOrEqual(2);
});
