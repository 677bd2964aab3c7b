import { rmSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { call } from '../support/servers/api.ts';
import { untilGone } from '../support/servers/processes.ts';
import { newDataDir, startTestStage, type TestStage } from '../support/servers/stage.ts';
import { statsAfter, usedUsd } from '../support/servers/stats.ts';

const dataDir = newDataDir();
let stage: TestStage | undefined;

afterAll(async () => {
  await stage?.kill('SIGKILL');
  await untilGone(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
});

it('a stage that is killed after its answers counts each of them once when it is back', {
  timeout: 120_000,
}, async () => {
  const completions = 12;
  stage = await startTestStage({ dataDir });
  for (let n = 0; n < completions; n += 1) {
    const messages = [{ role: 'user', content: `Question ${n}` }];
    await call(stage, 'POST', '/v1/chat/completions', { model: 'gpt-5-mini', messages });
  }

  await stage.kill('SIGKILL');
  await untilGone(dataDir);
  stage = await startTestStage({ dataDir });

  const stats = await statsAfter(stage, completions);
  expect(stats.requests).toBe(completions);
  expect(stats.estimated_cost_usd).toBe(await usedUsd(stage));
});
