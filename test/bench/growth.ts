import { fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { call, chatJob, submit, type Target } from '../support/servers/api.ts';
import { newDataDir, startTestStage } from '../support/servers/stage.ts';

// Measures whether the ten-thousandth request is as fast as the first: completions, then jobs, a thousand at a
// time, on a stage with a data folder and on one in memory. Each row shows its ratio to the first.
// node test/bench/growth.ts [thousands]

const thousands = Number(process.argv[2] ?? 10);
const atOnce = 8;

for (const memory of [false, true]) {
  console.log(memory ? '\nIn memory' : 'With a data folder');
  const upstream = fork(new URL('./upstream.ts', import.meta.url));
  const [port] = await once(upstream, 'message');
  const dataDir = newDataDir();
  const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'bench' };
  const stage = await startTestStage({ memory, dataDir, env });
  const served = async () => {
    upstream.send('calls');
    return (await once(upstream, 'message'))[0] as number;
  };
  await each(200, () => complete(stage));

  await table('completions a second', async () => 1000 / (await each(1000, () => complete(stage))));
  await table('jobs a second, submitted and run', async (thousand) => {
    const before = await served();
    const startedAt = performance.now();
    await each(1000, (index) => submit(stage, chatJob(`job ${thousand} ${index}`)));
    while ((await served()) < before + 1000) await new Promise((done) => setTimeout(done, 50));
    return 1000 / ((performance.now() - startedAt) / 1000);
  });
  if (!memory) {
    const bytes = statSync(join(dataDir, 'dynamodb.db')).size;
    console.log(`  the database has ${(bytes / 1024 / 1024).toFixed(0)} MB`);
  }
  await stage.close();
  upstream.disconnect();
}

async function complete(target: Target): Promise<void> {
  const { status } = await call(target, 'POST', '/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: '1' }],
    max_tokens: 10,
  });
  if (status !== 200) throw new Error(`status ${status}`);
}

/** Does some work a number of times, a few at once. Returns the seconds it took. */
async function each(times: number, work: (index: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const runner = async () => {
    while (next < times) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
  return (performance.now() - startedAt) / 1000;
}

async function table(title: string, rate: (thousand: number) => Promise<number>): Promise<void> {
  console.log(`  ${title}`);
  let first = 0;
  for (let thousand = 1; thousand <= thousands; thousand++) {
    const measured = await rate(thousand);
    first ||= measured;
    const ratio = (measured / first).toFixed(2);
    console.log(`  ${String(thousand * 1000).padStart(7)}  ${measured.toFixed(0)}  (${ratio})`);
  }
}
