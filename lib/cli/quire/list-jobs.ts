import { setTimeout as pause } from 'node:timers/promises';
import type { Arguments } from '../arguments.ts';
import type { Outcome } from '../run.ts';
import { ask, isEnded, type Service, type ServiceJob, serviceIn } from '../service.ts';
import { aligned, dollars, minuteOf, printable } from '../text.ts';

const lookEveryMs = 1_000;

/** Lists the newest jobs; with `--watch` as they change, until all have ended. */
export async function listJobs({
  values,
  flags,
}: Pick<Arguments<string>, 'values' | 'flags'>): Promise<Outcome> {
  const service = serviceIn(values['data']);
  const jobs = await newestJobs(service, values['status']);
  if (!flags.has('watch')) return { json: { jobs }, text: tabulate(jobs) };
  return { lines: watched(service, values['status']) };
}

async function newestJobs(service: Service, status: string | undefined): Promise<ServiceJob[]> {
  const query = status === undefined ? '' : `?status=${encodeURIComponent(status)}`;
  const { jobs } = await ask<{ jobs: ServiceJob[] }>(service, 'GET', `/batch/jobs${query}`);
  return jobs;
}

/** Yields the whole table on a terminal, elsewhere each row that has changed. */
async function* watched(service: Service, status: string | undefined): AsyncGenerator<string> {
  let shown: string[] = [];
  for (;;) {
    const jobs = await newestJobs(service, status);
    const lines = tabulate(jobs).split('\n');
    if (process.stdout.isTTY) {
      if (shown.length > 0) process.stdout.write(`\u001b[${shown.length}A\u001b[J`);
      yield* lines;
    } else {
      const before = new Set(shown);
      yield* lines.filter((line) => !before.has(line));
    }
    shown = lines;
    if (jobs.every(isEnded)) return;
    await pause(lookEveryMs);
  }
}

/** The jobs as a table, with the jobs of a folder's files under it. Steps of a file's job are not shown. */
export function tabulate(jobs: readonly ServiceJob[]): string {
  if (jobs.length === 0) return 'There are no jobs yet: npm run quire -- submit FILE makes one.';
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const below = Map.groupBy(jobs, ({ parent_job_id }) => parent_job_id ?? '');
  const rowsOf = (job: ServiceJob, depth: number): string[][] => [
    rowOf(job, depth),
    ...(isFolder(job) ? (below.get(job.id) ?? []) : []).flatMap((file) => rowsOf(file, depth + 1)),
  ];
  const roots = jobs.filter(({ parent_job_id: parent }) => !byId.has(parent ?? ''));
  const head = ['FILE', 'TASK', 'STATUS', 'COST', 'CREATED', 'ID'];
  return aligned([head, ...roots.flatMap((job) => rowsOf(job, 0))]);
}

function rowOf(job: ServiceJob, depth: number): string[] {
  const { status, progress, result, created_at, id } = job;
  const name = job.filename ?? job.drive_folder_id;
  const cost = result?.['cost_usd'];
  return [
    `${'  '.repeat(depth)}${name === null ? '-' : printable(name)}`,
    taskOf(job),
    progress ? `${status} ${progress.done}/${progress.total} ${progress.unit}` : status,
    typeof cost === 'number' ? dollars(cost) : '',
    minuteOf(created_at),
    id,
  ];
}

const isFolder = ({ input_type }: ServiceJob) => input_type === 'drive_folder';

const taskOf = ({ job_type, pipeline, extract }: ServiceJob) =>
  extract ? 'fields' : pipeline ? `${job_type}, answer` : job_type;
