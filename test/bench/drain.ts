import { setTimeout as pause } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import type { Job } from '../../shared/jobs/engine/item/job.ts';
import { newJob } from '../../shared/jobs/engine/item/new-job.ts';
import { tagJobs } from '../../shared/jobs/engine/waiting/fair-tags.ts';
import { chatKind } from '../../shared/jobs/kinds/chat/chat-job.ts';
import { startStoreProxy } from '../lab/cost/store-proxy.ts';
import { call, chatJob, submit } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { cpuSecondsByThread } from '../support/servers/processes.ts';
import { startBenchStage } from './bench-stage.ts';

// Measures how fast chat jobs are done beside how fast completions are served, in turns on the same stage: so many jobs that
// wait already, as many that sixteen connections submit meanwhile, then as many completions by these. It prints the rates and the ratio of each round, also by
// the CPU time of each, which other work on the machine changes less; and the CPU time that each thread takes. With "counted" it prints what a job and a completion ask of the store instead of CPU time; the
// rates then are those of the proxy that counts.
// node test/bench/drain.ts [jobs] [rounds] [counted]

const count = Number(process.argv[2] ?? 1_000);
const rounds = Number(process.argv[3] ?? 3);
const isCounted = process.argv[4] === 'counted';
/** How long the stage is left to end what it has begun. */
const stillMs = 3_000;

let cpu = new Map<string, number>();
const asked = new Map<string, number>();
const ask = (name: string, by: number) => asked.set(name, (asked.get(name) ?? 0) + by);
const store = isCounted ? await startCountedStore() : undefined;
const { stage, tell, close } = await startBenchStage({
  memory: true,
  env: store ? { AWS_ENDPOINT_URL_DYNAMODB: store.url } : {},
});
const caller = await newCaller(stage, { max_concurrent: null });
const table = stage.outputs['JobsTable'] ?? '';
Object.assign(process.env, { JOBS_TABLE: table, JOB_RETENTION_DAYS: '1', LANE_SHARDS: '1' });

await complete();
await drain();
const ratios: number[] = [];
const unit = isCounted ? '' : ', ms of CPU time';
for (let round = 1; round <= rounds; round++) {
  const jobs = await measured(drain);
  const submitted = await measured(submitAll);
  const completions = await measured(complete);
  const ratio = jobs.rate / completions.rate;
  ratios.push(ratio);
  const [waiting, begun, served] = [jobs, submitted, completions].map(({ rate }) =>
    rate.toFixed(0).padStart(5),
  );
  const cpuRatio = completions.cpuMsEach / jobs.cpuMsEach;
  console.log(
    `  jobs${waiting} a second   completions${served}   ratio ${ratio.toFixed(2)}   by CPU time ${cpuRatio.toFixed(2)}`,
  );
  console.log(
    `  submitted and done${begun} a second   ratio ${(submitted.rate / completions.rate).toFixed(2)}`,
  );
  if (round === rounds) {
    console.log(`  a job${unit}:\n${jobs.told}\n  a completion${unit}:\n${completions.told}`);
  }
}
const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
console.log(`  median ratio ${median.toFixed(2)}`);
await close();
await store?.close();
process.exit();

/** Starts a store behind a proxy that counts what it is asked. */
async function startCountedStore() {
  const engine = await startDynamoDb(undefined, (reason) => {
    throw new Error(reason);
  });
  const proxy = await startStoreProxy({
    url: engine.url,
    onUnits({ operation }, { write, read }) {
      ask(operation, 1);
      ask('write units', write);
      ask('read units', read);
    },
  });
  return {
    url: proxy.url,
    async close(): Promise<void> {
      proxy.close();
      await engine.close();
    },
  };
}

/** Does so much work, and returns how much of it was done in a second, and what each took. */
async function measured(work: () => Promise<number>) {
  const seconds = await work();
  const cpuMs = [...cpuSecondsByThread(stage.process.pid ?? 0)].map(
    ([name, sum]) => [name, 1000 * (sum - (cpu.get(name) ?? 0))] as const,
  );
  const told = (isCounted ? [...asked] : cpuMs)
    .map(([name, sum]) => [name, sum / count] as const)
    .filter(([, each]) => each > 0.04)
    .map(([name, each]) => `    ${name.padEnd(24)}${each.toFixed(2)}`)
    .join('\n');
  const cpuMsEach = cpuMs.reduce((sum, [, ms]) => sum + ms, 0) / count;
  await pause(stillMs);
  return { rate: count / seconds, cpuMsEach, told };
}

/** Serves completions. Returns how long it took, in seconds. */
async function complete(): Promise<number> {
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: '1' }], max_tokens: 10_000 };
  const limit = pLimit(16);
  asked.clear();
  cpu = cpuSecondsByThread(stage.process.pid ?? 0);
  const startedAt = performance.now();
  const one = () => limit(() => call(caller, 'POST', '/v1/chat/completions', body));
  await Promise.all(Array.from({ length: count }, one));
  return (performance.now() - startedAt) / 1000;
}

/** Submits jobs, which are done meanwhile. Returns how long it took until all were done, in seconds. */
async function submitAll(): Promise<number> {
  const before = await tell('calls');
  const limit = pLimit(16);
  asked.clear();
  cpu = cpuSecondsByThread(stage.process.pid ?? 0);
  const startedAt = performance.now();
  const one = () => limit(() => submit(caller, chatJob('1')));
  await Promise.all(Array.from({ length: count }, one));
  while ((await tell('calls')) < before + count) await pause(10);
  return (performance.now() - startedAt) / 1000;
}

/**
 * Has jobs done that are there and dispatched already, beside those that workers have begun by then and the upstream holds.
 * Returns how long it took, in seconds.
 */
async function drain(): Promise<number> {
  const before = await tell('hold');
  let begun = before;
  for (let put = 0; put < begun - before + count; begun = await tell('calls')) {
    await putJobs(begun - before + count - put);
    put = begun - before + count;
    await pause(stillMs);
  }
  asked.clear();
  cpu = cpuSecondsByThread(stage.process.pid ?? 0);
  const startedAt = performance.now();
  await tell('go on');
  while ((await tell('calls')) < begun + count) await pause(10);
  const seconds = (performance.now() - startedAt) / 1000;
  return seconds;
}

async function putJobs(some: number): Promise<void> {
  const limit = pLimit(4);
  const sizes = Array.from({ length: Math.ceil(some / 25) }, (_, at) =>
    Math.min(25, some - at * 25),
  );
  await Promise.all(sizes.map((size) => limit(() => putBatch(size))));
}

async function putBatch(size: number): Promise<void> {
  const jobs = Array.from({ length: size }, (): Job => {
    const id = { key_id: caller.keyId, job_id: `job_${uuidv7()}` };
    const kind = { job_type: 'chat', input_type: 'inline', model: 'gpt-4o' } as const;
    const messages_json = JSON.stringify([{ role: 'user', content: '1' }]);
    return newJob(chatKind, { ...id, ...kind, priority: 5, max_retries: 3, messages_json });
  });
  const placed = await tagJobs(jobs, { weight: 1 });
  const RequestItems = { [table]: placed.map((Item) => ({ PutRequest: { Item } })) };
  await dynamodb.send(new BatchWriteCommand({ RequestItems }));
}
