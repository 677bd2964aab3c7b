import { statSync } from 'node:fs';
import { join } from 'node:path';
import { call, chatJob, submit, type Target } from '../support/servers/api.ts';
import { cpuSecondsOf } from '../support/servers/processes.ts';
import type { TestStage } from '../support/servers/stage.ts';
import { startBenchStage } from './bench-stage.ts';

// Measures whether the ten-thousandth request is as fast as the first: completions, then jobs, a thousand at a
// time, on a stage with a data folder and on one in memory. Each row shows its rate, the CPU time of the stage and
// its engines for each, which holds on a busy machine too, and the ratios of both to the first.
// node test/bench/growth.ts [thousands]

const thousands = Number(process.argv[2] ?? 10);
const atOnce = 8;

for (const memory of [false, true]) {
  console.log(memory ? '\nIn memory' : 'With a data folder');
  const { stage, tell, close } = await startBenchStage({ memory });
  await each(200, () => complete(stage));

  await table(stage, 'completions', () => each(1000, () => complete(stage)));
  await table(stage, 'jobs, submitted and run', async (thousand) => {
    const before = await tell('calls');
    await each(1000, (index) => submit(stage, chatJob(`1 0 ${thousand} ${index}`)));
    while ((await tell('calls')) < before + 1000) await new Promise((done) => setTimeout(done, 50));
  });
  if (!memory) {
    const bytes = statSync(join(stage.dataDir, 'dynamodb.db')).size;
    console.log(`  the database has ${(bytes / 1024 / 1024).toFixed(0)} MB`);
  }
  await close();
}

async function complete(target: Target): Promise<void> {
  const { status } = await call(target, 'POST', '/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: '1' }],
    max_tokens: 10,
  });
  if (status !== 200) throw new Error(`status ${status}`);
}

/** Does some work a number of times, a few at once. */
async function each(times: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const runner = async () => {
    while (next < times) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
}

/** Prints a row for each thousand that is done. */
async function table(
  { process: { pid = 0 } }: TestStage,
  title: string,
  doThousand: (thousand: number) => Promise<void>,
): Promise<void> {
  console.log(`  ${title}   a second      CPU ms each`);
  let first: Row | undefined;
  for (let thousand = 1; thousand <= thousands; thousand++) {
    const startedAt = performance.now();
    const cpuAtStart = cpuSecondsOf(pid);
    await doThousand(thousand);
    const row: Row = {
      rate: 1_000_000 / (performance.now() - startedAt),
      cpuMs: cpuSecondsOf(pid) - cpuAtStart,
    };
    first ??= row;
    const rate = `${row.rate.toFixed(0)} (${(row.rate / first.rate).toFixed(2)})`;
    const cpu = `${row.cpuMs.toFixed(1)} (${(row.cpuMs / first.cpuMs).toFixed(2)})`;
    console.log(
      `  ${String(thousand * 1000).padStart(7)}  ${rate.padStart(12)}  ${cpu.padStart(14)}`,
    );
  }
}

interface Row {
  rate: number;
  /** Of a thousand in seconds, which is of one in milliseconds. */
  cpuMs: number;
}
