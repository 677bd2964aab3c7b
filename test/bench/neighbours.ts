import { queryItems } from '../../shared/aws/dynamodb.ts';
import type { Job } from '../../shared/jobs/job.ts';
import { chatJob, submit, type Target, until } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { startBenchStage } from './bench-stage.ts';

// Measures what keys and jobs cost each other: how long one key's job waits behind 600 of another's, how often the
// jobs of a key with one request a minute run for each call that they may make, and how long quick jobs take among
// slow ones.
// node test/bench/neighbours.ts [crowd] [minute] [mixed]

const asked = process.argv.slice(2);
const wanted = (part: string) => asked.length === 0 || asked.includes(part);

const { stage, tell, close } = await startBenchStage({ memory: true });
await submit(stage, job(0)).then(({ id }) => until(stage, id));

if (wanted('crowd')) await behindACrowd(600);
if (wanted('minute')) await oneRequestAMinute(400, 3);
if (wanted('mixed')) await quickAmongSlow(180, 20);

await close();

async function behindACrowd(count: number): Promise<void> {
  const [one, many] = [await newCaller(stage), await newCaller(stage)];
  print('a job while the stage is idle starts after', await waitOf(one));
  const startedAt = Date.now();
  const crowd = await submitted(many, count, () => job(4_000));
  print(`behind ${count} of another key's, of 4 s each`, await waitOf(one));
  const ends = await endsOf(many, crowd);
  print(`those ${count} took`, `${seconds(Math.max(...ends.values()) - startedAt)} s`);
}

async function waitOf(caller: Target): Promise<string> {
  const { id } = await submit(caller, job(0));
  const { created_at, started_at } = await until(caller, id);
  return `${seconds(between(created_at, started_at))} s`;
}

async function oneRequestAMinute(count: number, minutes: number): Promise<void> {
  const caller = await newCaller(stage, { requests_per_minute: 1 });
  const before = await tell('calls');
  await new Promise((resolve) => setTimeout(resolve, 60_000 - (Date.now() % 60_000)));
  const runs = new Set<string>();
  let ended = false;
  const watching = (async () => {
    while (!ended) {
      for (const run of await runsNow(caller)) runs.add(run);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  })();
  await submitted(caller, count, () => job(0));
  // The first minute has the submissions in it.
  let runsBefore = 0;
  for (let minute = 1; minute <= minutes; minute++) {
    await new Promise((resolve) => setTimeout(resolve, 60_000 - (Date.now() % 60_000)));
    print(
      `${count} jobs of 1 request a minute, minute ${minute}`,
      `${runs.size - runsBefore} runs`,
    );
    runsBefore = runs.size;
  }
  ended = true;
  await watching;
  print('calls for these runs', String((await tell('calls')) - before));
}

/** The latest run of each job of a key, named by its start. */
async function runsNow(caller: KeyOf): Promise<string[]> {
  const jobs = await jobsOf(caller);
  return jobs.flatMap(({ job_id, started_at }) => (started_at ? `${job_id} ${started_at}` : []));
}

/** Waits until jobs have ended. Returns when each did, in epoch ms. */
async function endsOf(caller: KeyOf, ids: string[]): Promise<Map<string, number>> {
  for (;;) {
    const ended = (await jobsOf(caller)).flatMap(({ job_id, completed_at }) =>
      completed_at ? [[job_id, Date.parse(completed_at)] as const] : [],
    );
    const ends = new Map(ended.filter(([id]) => ids.includes(id)));
    if (ends.size === ids.length) return ends;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

type KeyOf = Awaited<ReturnType<typeof newCaller>>;

/** Reads what a key has in the table: asking the stage for so many jobs would be a load of its own. */
async function jobsOf({ keyId }: KeyOf): Promise<Pick<Job, 'job_id' | JobTime>[]> {
  const jobs: Pick<Job, 'job_id' | JobTime>[] = [];
  const query = {
    TableName: stage.outputs['JobsTable'],
    KeyConditionExpression: 'key_id = :key AND begins_with(job_id, :jobs)',
    ExpressionAttributeValues: { ':key': keyId, ':jobs': 'job_' },
    ProjectionExpression: 'job_id, started_at, completed_at',
  };
  for await (const job of queryItems<Job>(query)) jobs.push(job);
  return jobs;
}

type JobTime = 'started_at' | 'completed_at';

async function quickAmongSlow(quick: number, slow: number): Promise<void> {
  const caller = await newCaller(stage, { max_concurrent: null });
  const every = Math.floor(quick / slow) + 1;
  const startedAt = Date.now();
  const ids = await submitted(caller, quick + slow, (index) =>
    job(index % every === 0 ? 10_000 : 100),
  );
  const submittedAt = Date.now();
  const ends = await endsOf(caller, ids);
  const quickEnds = ids.flatMap((id, index) => (index % every === 0 ? [] : (ends.get(id) ?? [])));
  print(
    `${quick} jobs of 100 ms among ${slow} of 10 s take`,
    `${seconds(Math.max(...quickEnds) - startedAt)} s, submitting all of them ${seconds(submittedAt - startedAt)} s`,
  );
}

function job(ms: number): object {
  return chatJob(`1 ${ms}`, { priority: 1 });
}

async function submitted(
  caller: Target,
  count: number,
  jobOf: (index: number) => object,
): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const submitNext = async () => {
    for (let index = next++; index < count; index = next++) {
      ids[index] = (await submit(caller, jobOf(index))).id;
    }
  };
  await Promise.all(Array.from({ length: 20 }, submitNext));
  return ids;
}

function between(from: string | null, to: string | null): number {
  return Date.parse(to ?? '') - Date.parse(from ?? '');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function print(what: string, figure: string): void {
  console.log(`${what.padEnd(52)} ${figure}`);
}
