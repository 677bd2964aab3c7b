import type { ActionOutcome, JobAction } from '../../../shared/jobs/operators/act-on.ts';
import type { JobSheet } from '../../../shared/jobs/operators/job-sheet.ts';
import { aligned, dollars, minuteOf, printable } from '../text.ts';

/** Lists jobs, one line for each. */
export function tabulateJobs(jobs: readonly JobSheet[], more: boolean): string {
  if (jobs.length === 0) return 'There are no such jobs.';
  const table = aligned([
    [
      ...['id', 'submitted', 'key', 'status', 'progress', 'type', 'priority', 'retries'],
      ...['about', 'warnings', 'error'],
    ],
    ...jobs.map((job) => [
      ...[job.id, minuteOf(job.created_at), keyOf(job), job.status, progressOf(job), typeOf(job)],
      ...[String(job.priority), String(job.retry_count), cut(aboutOf(job), 30)],
      job.warnings ? String(job.warnings) : '',
      cut(printable(job.error ?? ''), 80),
    ]),
  ]);
  return more ? `${table}\n\nThere are more: --limit shows them, filters tell them apart.` : table;
}

/** Describes a job, one line for each field that it has. */
export function describeJob(job: JobSheet): string {
  const { progress, children, lane } = job;
  const rows: [string, string | null][] = [
    ['id', job.id],
    ['key', `${job.key_id} (${keyOf(job)})`],
    ['status', job.status],
    ['type', `${typeOf(job)}, ${job.input_type}, lane ${lane}`],
    ['model', printable(job.model)],
    ['priority', `${job.priority}${job.asked_priority ? ` (asked: ${job.asked_priority})` : ''}`],
    ['file', job.filename && printable(job.filename)],
    ['batch', job.batch && `${job.batch.id} of ${job.batch.endpoint}`],
    ...(job.batch ? batchRows(job.batch) : []),
    ['Drive file', job.drive_file_id],
    ['file of the key', job.file_id],
    ['Drive folder', job.drive_folder_id],
    ['result on Drive', job.drive_result_file_id],
    ['retries', `${job.retry_count} of ${job.max_retries}`],
    ['error', job.error && printable(job.error)],
    ['warnings', job.warnings ? String(job.warnings) : null],
    ['progress', !job.batch && progress ? progressOf(job) : null],
    ['made for it', children && childrenOf(children)],
    ['cost', job.cost_usd === null ? null : dollars(job.cost_usd)],
    ['part of', job.parent_job_id],
    ['tries again', job.retry_of],
    ['tried again by', job.retry_job_id],
    ['submitted', minuteOf(job.created_at)],
    ['started', job.started_at && minuteOf(job.started_at)],
    ['waits until', job.waits_until && minuteOf(job.waits_until)],
    ['worker until', job.lease_until && minuteOf(job.lease_until)],
    ['ended', job.completed_at && minuteOf(job.completed_at)],
  ];
  return aligned(rows.filter((row): row is [string, string] => Boolean(row[1])));
}

const did = { cancel: 'Cancelled', stop: 'Stopped', retry: 'Tried again', delete: 'Deleted' };
const maxRefusals = 20;
const maxOwners = 5;

/** Describes the outcome of an action on many jobs. */
export function describeActed(
  action: JobAction,
  acted: readonly ActionOutcome[],
  leftOut: readonly { parent_job_id?: string }[],
): string {
  const refused = acted.filter((each) => each.refused !== undefined);
  const parts = [`${did[action]}: ${counted(acted.length - refused.length)}.`];
  const actedOn = new Set(
    acted.filter((each) => !refused.includes(each)).map(({ job_id }) => job_id),
  );
  const isAlong = ({ parent_job_id = '' }) => actedOn.has(parent_job_id);
  const along = leftOut.filter(isAlong);
  if (along.length > 0) parts.push(`As parts of these: ${counted(along.length)}.`);
  const others = leftOut.filter((job) => !isAlong(job));
  if (others.length > 0) {
    const owners = [...new Set(others.map(({ parent_job_id }) => parent_job_id))];
    const named = owners.slice(0, maxOwners).join(', ') + (owners.length > maxOwners ? ', …' : '');
    parts.push(
      `Left out, as parts of others: ${counted(others.length)}. Instead, ${action} the others: ${named}.`,
    );
  }
  if (refused.length > 0) {
    const rows = refused
      .slice(0, maxRefusals)
      .map(({ job_id, refused: why = '' }) => [job_id, why]);
    const rest = refused.length > maxRefusals ? '\n…' : '';
    parts.push(`${counted(refused.length)} refused:\n${aligned(rows)}${rest}`);
  }
  return parts.join('\n');
}

/** Writes a number of jobs. */
export const counted = (count: number) => (count === 1 ? '1 job' : `${count} jobs`);

const keyOf = ({ key_name, key_id }: JobSheet) => printable(key_name ?? key_id);

const typeOf = ({ job_type, pipeline, batch }: JobSheet) =>
  batch ? 'batch' : pipeline ? 'pipeline' : job_type;

const maxErrors = 10;

/** The rows of a batch: its window's rest, counts of its lines, its files, and faults in lines. */
function batchRows(batch: NonNullable<JobSheet['batch']>): [string, string | null][] {
  const { total, completed, failed } = batch.request_counts;
  const errors = batch.errors?.data ?? [];
  const more = errors.length - maxErrors;
  return [
    ['stands', batch.status],
    ['expires', minuteOf(batch.expires_at)],
    ['lines', total ? `${total}: ${completed} answered, ${failed} failed` : null],
    ['answers', batch.output_file_id],
    ['errors', batch.error_file_id],
    ...errors
      .slice(0, maxErrors)
      .map(({ line, code, param, message }): [string, string] => [
        line === null ? 'wrong' : `line ${line}`,
        printable(`${code}${param ? ` (${param})` : ''}: ${message}`),
      ]),
    ['', more > 0 ? `and ${more} more` : null],
  ];
}

/** How far a job has come. A batch's lines are told after its end too, as some of a completed one may have failed. */
function progressOf({ progress, batch }: JobSheet): string {
  if (!batch) return progress ? `${progress.done} of ${progress.total} ${progress.unit}` : '-';
  const { total, completed, failed } = batch.request_counts;
  if (!total) return '-';
  return `${completed} of ${total} lines${failed ? `, ${failed} failed` : ''}`;
}

const aboutOf = ({ filename, drive_folder_id, model }: JobSheet) =>
  printable(filename ?? (drive_folder_id ? `folder ${drive_folder_id}` : model));

const childrenOf = ({ total, ended, failed, cancelled }: NonNullable<JobSheet['children']>) =>
  `${total} jobs: ${ended} ended, of them ${failed} failed and ${cancelled} cancelled`;

const cut = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;
