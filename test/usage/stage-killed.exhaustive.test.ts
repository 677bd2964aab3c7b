import { expect, it } from 'vitest';
import { call } from '../support/servers/api.ts';
import { useOwnStages } from '../support/servers/own-stages.ts';
import { untilGone } from '../support/servers/processes.ts';
import { statsAfter, usedUsd } from '../support/servers/stats.ts';

const stages = useOwnStages();

it('a stage that is killed after its answers counts each of them once when it is back', {
  timeout: 120_000,
}, async () => {
  const completions = 12;
  const dataDir = stages.newDataDir();
  const killed = await stages.start({ dataDir });
  for (let n = 0; n < completions; n += 1) {
    const messages = [{ role: 'user', content: `Question ${n}` }];
    await call(killed, 'POST', '/v1/chat/completions', { model: 'gpt-5-mini', messages });
  }

  await killed.kill('SIGKILL');
  await untilGone(dataDir);
  const stage = await stages.start({ dataDir });

  const stats = await statsAfter(stage, completions);
  expect(stats.requests).toBe(completions);
  expect(stats.estimated_cost_usd).toBe(await usedUsd(stage));
});
