import { get } from '../api/call.ts';
import { unlessGone } from '../api/failure.ts';
import { isFolder, type Job, readJob } from './job.ts';

/** Jobs of a list, the newest first, and the ones that they were made for. */
export interface JobPage {
  jobs: Job[];
  parents: Job[];
  next_cursor: string | null;
}

/** A job with what is shown under it: some files of a folder, or all that it has. */
export interface Branch {
  job: Job;
  files?: Job[];
}

/** A page of the jobs of a folder's files. */
export type FilesPage = Omit<JobPage, 'parents'>;

/** Lists further pages of the jobs of a folder's files. */
export async function listFiles(
  folderId: string,
  count: number,
  known: FilesPage[],
  signal: AbortSignal,
): Promise<FilesPage[]> {
  const pages = [...known];
  while (pages.length < count && pages.at(-1)?.next_cursor !== null) {
    const cursor = pages.at(-1)?.next_cursor;
    const query = { parent_job_id: folderId, ...(cursor && { cursor }) };
    pages.push(await listJobs(query, signal));
  }
  return pages;
}

/** Lists submitted jobs; or all jobs of a status, each with the job that it was made for. */
export async function listTree(
  { status, cursor }: { status: string; cursor?: string },
  signal?: AbortSignal,
): Promise<JobPage> {
  const filter = status ? { status } : { parent_job_id: 'none' };
  const page = await listJobs({ ...filter, ...(cursor && { cursor }) }, signal);
  const known = new Map(page.jobs.map((job) => [job.id, job]));
  const parents: Job[] = [];
  for (let jobs = page.jobs; jobs.length > 0; ) {
    const unknown = new Set(
      jobs.flatMap(({ parent_job_id: id }) => (id && !known.has(id) ? id : [])),
    );
    const read = [...unknown].map((id) => readJob(id, signal).catch(unlessGone));
    jobs = (await Promise.all(read)).filter((job) => job !== undefined);
    for (const job of jobs) known.set(job.id, job);
    parents.push(...jobs);
  }
  return { ...page, parents };
}

const listJobs = (query: Record<string, string>, signal?: AbortSignal) =>
  get<FilesPage>(`/batch/jobs?${new URLSearchParams(query)}`, signal);

/** Puts jobs under the folders that they are of. A step has no row of its own: its document's row has it. */
export function branchesOf(jobs: Job[], parents: Job[]): Branch[] {
  const known = new Map([...parents, ...jobs].map((job) => [job.id, job]));
  const branches = new Map<string, Branch>();
  for (const job of jobs) {
    let row = job;
    let above = known.get(row.parent_job_id ?? '');
    while (above && !isFolder(above)) {
      row = above;
      above = known.get(row.parent_job_id ?? '');
    }
    const branch: Branch = branches.get((above ?? row).id) ?? { job: above ?? row };
    branches.set(branch.job.id, branch);
    if (above && !branch.files?.includes(row)) branch.files = [...(branch.files ?? []), row];
  }
  return [...branches.values()];
}
