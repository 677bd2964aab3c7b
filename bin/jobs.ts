import './catalogue-faults.ts';

import * as v from 'valibot';
import { LimitOption, readValues } from '../lib/cli/arguments.ts';
import { CommandError, confirm } from '../lib/cli/command-line.ts';
import { jobsCommands } from '../lib/cli/jobs/commands.ts';
import { counted, describeActed, describeJob, tabulateJobs } from '../lib/cli/jobs/jobs-text.ts';
import { describeQueue, describeRedrive } from '../lib/cli/jobs/report-queue.ts';
import { keysMeant } from '../lib/cli/keys-meant.ts';
import { progress } from '../lib/cli/progress.ts';
import { type Outcome, runCommand } from '../lib/cli/run.ts';
import { reach, type Target } from '../lib/cli/target.ts';
import type { JobStatus } from '../shared/jobs/engine/item/status.ts';
import {
  type ActionOutcome,
  actOn,
  actOnAll,
  actsOn,
  type JobAction,
  JobFilterOptions,
  withoutChildren,
} from '../shared/jobs/operators/act-on.ts';
import {
  type JobFilter,
  jobOfAny,
  matchingJobs,
  newestJobs,
} from '../shared/jobs/operators/find-jobs.ts';
import { jobSheet } from '../shared/jobs/operators/job-sheet.ts';
import { reportQueue } from '../shared/jobs/operators/queue-report.ts';
import { redrive } from '../shared/jobs/operators/redrive.ts';
import { type ApiKey, listKeys } from '../shared/keys/key.ts';

/** How many jobs one command takes: their ids are kept, so that what was asked about is what is done. */
const maxJobs = 100_000;

const reachJobs = (target: Target) =>
  reach(target, 'KEYS_TABLE', 'JOBS_TABLE', 'JOB_RETENTION_DAYS', 'LANE_SHARDS');

const reachQueues = (target: Target) =>
  reach(
    target,
    ...(['KEYS_TABLE', 'JOBS_TABLE', 'CHAT_QUEUE_URL', 'CHAT_DEAD_LETTERS_URL'] as const),
    ...(['OCR_QUEUE_URL', 'OCR_DEAD_LETTERS_URL'] as const),
    ...(['FOLDER_QUEUE_URL', 'FOLDER_DEAD_LETTERS_URL'] as const),
  );

const ListOptions = v.object({ ...JobFilterOptions.entries, ...LimitOption.entries });

type Keys = ReadonlyMap<string, ApiKey>;

const keysById = async (): Promise<Keys> => new Map((await listKeys()).map((key) => [key.id, key]));

await runCommand(jobsCommands, {
  async list({ values }) {
    const { key, limit, ...filter } = readValues(ListOptions, values);
    await reachJobs(values);
    const keys = await keysById();
    const ids = idsOf(keys, key);
    const { note, end } = progress('keys', ids.length);
    const found = await newestJobs(ids, filterOf(filter), limit + 1, note);
    end();
    const jobs = found.slice(0, limit).map((job) => jobSheet(job, keys.get(job.key_id)?.name));
    const more = found.length > limit;
    return { json: { jobs, more }, text: tabulateJobs(jobs, more) };
  },

  async show({ id, values }) {
    const { key } = readValues(JobFilterOptions, values);
    await reachJobs(values);
    const keys = await keysById();
    const job = await jobOfAny(idsOf(keys, key), id);
    const sheet = jobSheet(job, keys.get(job.key_id)?.name);
    return { json: sheet, text: describeJob(sheet) };
  },

  cancel: (args) => act('cancel', args),
  stop: (args) => act('stop', args),
  retry: (args) => act('retry', args),
  delete: (args) => act('delete', args),

  async queue({ values }) {
    await reachQueues(values);
    const { note, end } = progress('jobs');
    const report = await reportQueue(await keysById(), note);
    end();
    return { json: report, text: describeQueue(report, Date.now()) };
  },

  async redrive({ values }) {
    await reachQueues(values);
    const lanes = await redrive((step) => console.error(`looking at ${step}`));
    return { json: { lanes }, text: describeRedrive(lanes) };
  },
});

interface ActionArguments {
  id: string;
  values: { [option: string]: string };
  flags: ReadonlySet<string>;
}

/** Does something to one job, or to all that the filters match. */
async function act(action: JobAction, { id, values, flags }: ActionArguments): Promise<Outcome> {
  const { key, ...filter } = readValues(JobFilterOptions, values);
  const isFiltered =
    key !== undefined || Object.values(filter).some((given) => given !== undefined);
  if (!id && !isFiltered) {
    throw new CommandError(
      `${action} takes a job's id, or says which jobs by --key, --status, --error or --since.`,
    );
  }
  if (id && Object.values(filter).some((given) => given !== undefined)) {
    throw new CommandError(`${action} takes a job's id or filters, not both.`);
  }
  const statuses = statusesFor(action, filter.status);
  await reachJobs(values);
  const keys = await keysById();
  const ids = idsOf(keys, key);
  if (id && action === 'delete') await confirm([`To delete: ${id}.`], flags);
  if (id) return actOnOne(action, id, ids, keys);

  const found = await find({ ...filterOf(filter), statuses, untried: action === 'retry' }, ids);
  const jobs = await withoutChildren(action, found);
  if (jobs.length > 1) {
    const owners = new Set(jobs.map(({ key_id }) => key_id)).size;
    const whose = owners === 1 ? 'one key' : `${owners} keys`;
    await confirm([`To ${action}: ${counted(jobs.length)} of ${whose}.`], flags);
  }
  const { note, end } = progress(`${action}: jobs`, jobs.length);
  const acted = await actOnAll(action, jobs, keys, note);
  end();
  const kept = new Set(jobs);
  const leftOut = found.filter((job) => !kept.has(job));
  return {
    json: { action, matched: found.length, left_out: leftOut.length, jobs: acted.map(shownOf) },
    text: found.length === 0 ? 'There are no such jobs.' : describeActed(action, acted, leftOut),
  };
}

async function actOnOne(
  action: JobAction,
  id: string,
  keyIds: readonly string[],
  keys: Keys,
): Promise<Outcome> {
  const { key_id } = await jobOfAny(keyIds, id);
  const key = keys.get(key_id) as ApiKey;
  const { id: actedId } = await actOn(action, key, id);
  if (action === 'delete') {
    return { json: { id, key_id, deleted: true }, text: `Deleted: ${id}.` };
  }
  const sheet = jobSheet(await jobOfAny([key_id], actedId), key.name);
  return { json: sheet, text: describeJob(sheet) };
}

async function find(filter: JobFilter, keyIds: readonly string[]) {
  const { note, end } = progress('keys', keyIds.length);
  const jobs = await matchingJobs(keyIds, filter, maxJobs, note);
  end();
  if (jobs.length === maxJobs) console.error(`These are the first ${maxJobs}: run it again.`);
  return jobs;
}

/** What `--json` tells of each job of an action. */
function shownOf({ key_id, job_id, record, refused }: ActionOutcome): object {
  const isRetry = record && record.id !== job_id;
  return {
    id: job_id,
    key_id,
    ...(record ? { status: record.status } : { refused }),
    ...(isRetry && { retry_job_id: record.id }),
  };
}

/** The statuses that an action is for; those given, if it can act on them. */
function statusesFor(action: JobAction, given: readonly JobStatus[] | undefined) {
  const possible: readonly JobStatus[] =
    action === 'retry' ? ['failed', 'cancelled'] : actsOn[action];
  const wrong = given?.find((status) => !possible.includes(status));
  if (wrong) {
    throw new CommandError(
      `${action} is for jobs that are ${possible.join(' or ')}, not ${wrong}.`,
    );
  }
  return given ?? actsOn[action];
}

function filterOf({
  status,
  error,
  since,
}: Omit<v.InferOutput<typeof JobFilterOptions>, 'key'>): JobFilter {
  return { statuses: status, error, sinceMs: since };
}

/** The ids of the keys that `--key` means. */
function idsOf(keys: Keys, wanted: string | undefined): string[] {
  return keysMeant([...keys.values()], wanted).map(({ id }) => id);
}
