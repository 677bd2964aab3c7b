import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobStatus } from '../../../shared/jobs/engine/item/status.ts';
import { useLive } from '../api/live.ts';
import { Choices } from '../parts/choices.tsx';
import { Awaited, Failed } from '../parts/failed.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { linkTo } from '../route.ts';
import type { Job } from './job.ts';
import { branchesOf, type JobPage, listTree } from './job-list.ts';
import { JobTree } from './job-tree.tsx';

const filters: ['' | JobStatus, string][] = [
  ['', 'All'],
  ['queued', 'Queued'],
  ['processing', 'Processing'],
  ['done', 'Done'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
];

/** The key's jobs, the newest first, as they move. */
export function Jobs() {
  const [status, setStatus] = useState<'' | JobStatus>('');
  const newest = useLive(`jobs ${status}`, (signal) => listTree({ status }, signal));
  /** What was shown with the last older page, and where older jobs begin. */
  const [older, setOlder] = useState<JobPage>();
  const [problem, setProblem] = useState<Error>();
  const cursor = older ? older.next_cursor : newest.value?.next_cursor;

  /** An older page may come when another status was chosen. */
  const chosenStatus = useRef(status);
  chosenStatus.current = status;

  useEffect(() => {
    const { value } = newest;
    if (value) setOlder((last) => last && grown(value, last));
  }, [newest.value]);

  const filterBy = (chosen: '' | JobStatus) => {
    setOlder(undefined);
    setStatus(chosen);
  };
  const more = async () => {
    try {
      const page = await listTree({ status, ...(cursor && { cursor }) });
      if (chosenStatus.current !== status) return;
      setOlder((last = newest.value) => ({
        ...page,
        jobs: [...(last?.jobs ?? []), ...page.jobs],
        parents: [...(last?.parents ?? []), ...page.parents],
      }));
      setProblem(undefined);
    } catch (error) {
      if (chosenStatus.current === status) setProblem(error as Error);
    }
  };

  return (
    <>
      <div class="bar-of-choices">
        <h1>Jobs</h1>
        <a href={linkTo('jobs', 'new')} class="main-link">
          New job
        </a>
      </div>
      <Choices label="Status" of={filters} chosen={status} choose={filterBy} />
      <Awaited of={newest} lines={8} />
      {newest.value && (
        <Listed
          // Another filter opens other folders.
          key={status}
          jobs={merge(newest.value, older?.jobs)}
          parents={[...(older?.parents ?? []), ...newest.value.parents]}
          status={status}
        />
      )}
      <Failed error={problem} />
      {cursor && <Quiet onClick={more}>Older jobs</Quiet>}
    </>
  );
}

/** Puts after the newest what is known of older ones: newer jobs have greater ids, and stand in the newest if at all. */
function merge({ jobs, next_cursor }: JobPage, older: Job[] = []): Job[] {
  const last = jobs.at(-1)?.id;
  if (!next_cursor) return jobs;
  return [...jobs, ...older.filter(({ id }) => last === undefined || id < last)];
}

/** Adds the newest to what is known, before newer ones push them out. Nothing is known if jobs between were missed. */
function grown(newest: JobPage, known: JobPage): JobPage | undefined {
  const [last, first] = [newest.jobs.at(-1)?.id ?? '', known.jobs[0]?.id ?? ''];
  if (newest.next_cursor && last > first) return undefined;
  return { ...known, jobs: merge(newest, known.jobs) };
}

function Listed({ jobs, parents, status }: { jobs: Job[]; parents: Job[]; status: string }) {
  if (jobs.length > 0) {
    return <JobTree branches={branchesOf(jobs, parents)} caption="Jobs, the newest first" />;
  }
  if (status) return <p class="empty">No job is {status}.</p>;
  return (
    <p class="empty">
      No jobs yet. <a href={linkTo('jobs', 'new')}>Submit the first one</a>: a question, a document
      of the drive, or a folder of them. Each job shows here as it runs, with its files and what
      they cost.
    </p>
  );
}
