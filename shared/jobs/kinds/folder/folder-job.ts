import { toNanoUsd } from '../../../ledger/terms/nano-usd.ts';
import { askedOf, modelsOf } from '../../asked/task.ts';
import { madeFor } from '../../engine/children/children.ts';
import { familyOf, isPart, type Job } from '../../engine/item/job.ts';
import type { Kind } from '../../engine/item/kind.ts';
import { type FailedFile, type LeftOutFile, shownName } from '../../results/result.ts';
import type { TableJob } from '../extraction/folder-table.ts';

/** A job that makes a job for each file of a folder, and counts how they end. */
export interface FolderJob extends TableJob {
  kind: 'folder';
  phase: 'listing' | 'files';
  /** Where its listing is, see `folder-files.ts`. */
  page_token?: string;
  folder_at?: number;
  folders?: { id: string; depth: number }[];
  folders_found?: number;
  /** Whether the files of the folders below it are taken too. */
  recursive?: boolean;
  files_found?: number;
  files_unsupported?: number;
  files_unreadable?: number;
  /** The first files that no job was made for, and the first that failed. */
  left_out?: LeftOutFile[];
  failed_files?: FailedFile[];
  /** What the jobs of its files have cost, in nano-dollars. */
  children_cost?: number;
}

const maxFailedFiles = 100;

export const folderKind = {
  name: 'folder',
  job: undefined as FolderJob | undefined,
  firstPhase: 'listing',
  queue: 'folder',
  modelsOf: (job) => modelsOf(askedOf(job)),
  childrenOf: (job) => madeFor(job, familyOf(job.job_id)),
  tallyOf: ({ failed_files = [] }, ended) => {
    const failed = ended.filter(({ status }) => status === 'failed').flatMap(failedFileOf);
    const files = failed.slice(0, Math.max(0, maxFailedFiles - failed_files.length));
    const children_cost = ended.reduce((sum, job) => sum + costOf(job), 0);
    return { add: { children_cost }, ...(files.length > 0 && { append: { failed_files: files } }) };
  },
  progressOf: (job) => ({ ...filesOf(job), unit: 'files' }),
  retriesFailed: true,
  retried: ['recursive'],
} as const satisfies Kind<FolderJob>;

/** How many of a folder's files have jobs, and how many of these are done, and have failed. */
export function filesOf(job: Job) {
  const { children_total: total = 0, children_ended = 0, children_failed: failed = 0 } = job;
  return { done: children_ended - failed - (job.children_cancelled ?? 0), total, failed };
}

/** What a job has cost, as its result says. */
function costOf({ result_json }: Job): number {
  const { cost_usd = 0 } = JSON.parse(result_json ?? '{}') as { cost_usd?: number };
  return toNanoUsd(cost_usd);
}

/** The most that is kept of a failed file's error; the file's own job has all of it. */
const maxFileErrorLength = 300;

function failedFileOf(job: Job & { drive_file_id?: string }): FailedFile[] {
  const { job_id, drive_file_id: file_id, filename = '', error = '' } = job;
  if (!file_id || isPart(job)) return [];
  const shownError = error.slice(0, maxFileErrorLength).toWellFormed();
  return [{ job_id, file_id, filename: shownName(filename), error: shownError }];
}
