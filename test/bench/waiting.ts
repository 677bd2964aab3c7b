import { setTimeout as pause } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import type { Job } from '../../shared/jobs/engine/item/job.ts';
import { newJob } from '../../shared/jobs/engine/item/new-job.ts';
import { tagJobs } from '../../shared/jobs/engine/waiting/fair-tags.ts';
import { chatKind } from '../../shared/jobs/kinds/chat/chat-job.ts';
import { call, chatJob, submit, type Target, until } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { cpuSecondsOf } from '../support/servers/processes.ts';
import { startBenchStage } from './bench-stage.ts';

// Measures what a long queue costs, with ever more jobs that wait: how many are done in a second, how soon a job of the
// best priority starts, and how long lists take. The jobs are put into the table as a folder's files are; while that is
// done, the upstream holds what runs. Each row shows the ratio to the first.
// node test/bench/waiting.ts [jobs...]

const backlogs = process.argv.slice(2).map(Number);
if (backlogs.length === 0) backlogs.push(1_000, 10_000, 100_000);
const measured = 600;

const { stage, tell, close } = await startBenchStage({ memory: true });
const stagePid = stage.process.pid ?? 0;
const caller = await newCaller(stage, { max_concurrent: null });
const other = await newCaller(stage);
const table = stage.outputs['JobsTable'] ?? '';
Object.assign(process.env, { JOBS_TABLE: table, JOB_RETENTION_DAYS: '1', LANE_SHARDS: '1' });
await submit(other, chatJob('1')).then(({ id }) => until(other, id));

let firstRow: number[] | undefined;
let put = 0;
const before = await tell('calls');
console.log(
  '  waiting   jobs a second    CPU ms a job   start, ms      list, ms    done, ms   queued, ms',
);
for (const backlog of backlogs) {
  await tell('hold');
  await fill(backlog - (put - ((await tell('calls')) - before)));
  await untilStill();
  const figures = [...(await drainRate()), await startMs(), ...(await listMs())];
  firstRow ??= figures;
  const cells = figures.map((each, index) => {
    const ratio = each / (firstRow?.[index] ?? each);
    return `${each.toFixed(each < 100 ? 1 : 0)} (${ratio.toFixed(2)})`.padStart(14);
  });
  console.log(String(backlog).padStart(9) + cells.join(''));
}
await close();

/** Puts waiting jobs of one key into the table. */
async function fill(count: number): Promise<void> {
  const limit = pLimit(4);
  const batches = Array.from({ length: Math.ceil(count / 25) }, (_, index) =>
    Math.min(25, count - index * 25),
  );
  await Promise.all(batches.map((size) => limit(() => putBatch(size))));
  put += count;
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

/** Waits until the stage has dispatched what was put: it takes little CPU time for five seconds. */
async function untilStill(): Promise<void> {
  for (let still = 0; still < 5; ) {
    const cpu = cpuSecondsOf(stagePid);
    await pause(1_000);
    still = cpuSecondsOf(stagePid) - cpu < 0.25 ? still + 1 : 0;
  }
}

/** Returns how many jobs are done in a second, and the CPU time of the stage for each, in ms. */
async function drainRate(): Promise<[number, number]> {
  const start = { calls: await tell('go on'), ms: performance.now(), cpu: cpuSecondsOf(stagePid) };
  let calls = start.calls;
  while (calls < start.calls + measured) {
    await pause(20);
    calls = await tell('calls');
  }
  const count = calls - start.calls;
  const cpuMs = (cpuSecondsOf(stagePid) - start.cpu) * 1000;
  return [(count * 1000) / (performance.now() - start.ms), cpuMs / count];
}

/** Returns how long a job of the best priority waits for its start, in ms: the median of five, while others run. */
async function startMs(): Promise<number> {
  const waits: number[] = [];
  for (let count = 0; count < 5; count++) {
    const { id } = await submit(other, chatJob('1', { priority: 1 }));
    const { created_at, started_at } = await until(other, id);
    waits.push(Date.parse(started_at ?? '') - Date.parse(created_at));
  }
  return median(waits);
}

/** Returns how long a list of the key's jobs takes, in ms: of any, of those that are done, and of those that wait. */
async function listMs(): Promise<number[]> {
  await tell('hold');
  await untilStill();
  const times: number[] = [];
  for (const query of ['', '?status=done', '?status=queued'])
    times.push(await listTime(caller, query));
  return times;
}

async function listTime(target: Target, query: string): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 5; count++) {
    const startedAt = performance.now();
    const { status } = await call(target, 'GET', `/batch/jobs${query}`);
    if (status !== 200) throw new Error(`status ${status}`);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
