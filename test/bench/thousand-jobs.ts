import type { JobRecord } from '../../shared/jobs/record.ts';
import { call, chatJob, submit, type Target, until } from '../support/servers/api.ts';
import { newDataDir, startTestStage } from '../support/servers/stage.ts';

// Submits 1,000 inline jobs of random priority at once, and kills the stage twice before they are done. Prints
// what became of them, how many are done a second, and how long a lone job waits to start.
// node test/bench/thousand-jobs.ts [jobs]

const count = Number(process.argv[2] ?? 1000);
const dataDir = newDataDir();
let stage = await startTestStage({ dataDir });

await submit(stage, chatJob('warm up')).then(({ id }) => until(stage, id));
const waits = [];
for (let i = 0; i < 30; i++) {
  const { id } = await submit(stage, chatJob(`idle ${i}`));
  const job = await until(stage, id);
  waits.push(Date.parse(job.started_at ?? '') - Date.parse(job.created_at));
}
print(
  'idle stage, submission to start',
  `p50 ${quantile(waits, 0.5)} ms, max ${Math.max(...waits)} ms`,
);

const startedAt = performance.now();
const ids = await submitAll(stage);
const submitSeconds = (performance.now() - startedAt) / 1000;
print('submissions', `${(count / submitSeconds).toFixed(0)} a second`);

for (const share of [0.25, 0.5]) {
  await untilDone(stage, share);
  await stage.kill('SIGKILL');
  stage = await startTestStage({ dataDir });
  print('killed and restarted', `at ${share * 100} % done`);
}
await untilDone(stage, 1);
const seconds = (performance.now() - startedAt) / 1000;

const jobs = (await allJobs(stage)).filter(({ id }) => ids.has(id));
const done = jobs.filter(({ status, result }) => status === 'done' && result);
const undisturbed = jobs.filter(({ retry_count }) => retry_count === 0);
print('done with one result', `${done.length} of ${count}, ${count - jobs.length} lost`);
print('retried after a kill', `${jobs.length - undisturbed.length}`);
print('started before a better one', `${overtakings(undisturbed)} of ${undisturbed.length}`);
print('pace, kills and lease waits included', `${(count / seconds).toFixed(0)} jobs a second`);
await stage.close();

async function submitAll(target: Target): Promise<Set<string>> {
  const submitted = new Set<string>();
  const submitEvery50th = async (first: number) => {
    for (let i = first; i < count; i += 50) {
      const priority = 1 + Math.floor(Math.random() * 100);
      submitted.add((await submit(target, chatJob(`job ${i}`, { priority }))).id);
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, first) => submitEvery50th(first)));
  return submitted;
}

async function untilDone(target: Target, share: number): Promise<void> {
  for (;;) {
    const jobs = await allJobs(target);
    const ended = jobs.filter(({ id, status }) => ids.has(id) && status === 'done');
    if (ended.length >= share * count) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function allJobs(target: Target): Promise<JobRecord[]> {
  const jobs: JobRecord[] = [];
  let cursor: string | null = '';
  do {
    const page: { jobs: JobRecord[]; next_cursor: string | null } = (
      await call<{ jobs: JobRecord[]; next_cursor: string | null }>(
        target,
        'GET',
        `/batch/jobs${cursor && `?cursor=${cursor}`}`,
      )
    ).body;
    jobs.push(...page.jobs);
    cursor = page.next_cursor;
  } while (cursor);
  return jobs;
}

/** Counts the jobs that started before one of better priority that had been there for half a second. */
function overtakings(jobs: JobRecord[]): number {
  return jobs.filter((job) =>
    jobs.some(
      (other) =>
        other.priority < job.priority &&
        instantOf(other.created_at) + 500 < instantOf(job.started_at) &&
        instantOf(other.started_at) > instantOf(job.started_at) + 500,
    ),
  ).length;
}

function instantOf(at: string | null): number {
  return Date.parse(at ?? '');
}

function quantile(values: number[], share: number): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
}

function print(what: string, figure: string): void {
  console.log(`${what.padEnd(40)} ${figure}`);
}
