import { useState } from 'preact/hooks';
import type { JobStatus } from '../../../shared/jobs/record.ts';
import { call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { Failed } from '../parts/failed.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { linkTo } from '../route.ts';
import type { Job } from './job.ts';
import { JobTable } from './job-table.tsx';

interface Page {
  jobs: Job[];
  next_cursor: string | null;
}

/** The jobs that are known of a status, the newest of them too, and where older ones begin. */
interface Known extends Page {
  status: string;
}

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
  const newest = useLive(`jobs ${status}`, (signal) => list({ status }, signal));
  const [known, setKnown] = useState<Known>();
  // A page that was asked for under another status may come after the status was chosen.
  const older = known?.status === status ? known : undefined;
  const [problem, setProblem] = useState<Error>();
  const cursor = older ? older.next_cursor : newest.value?.next_cursor;

  const filterBy = (chosen: '' | JobStatus) => {
    setKnown(undefined);
    setStatus(chosen);
  };
  const more = async () => {
    try {
      const page = await list({ status, ...(cursor && { cursor }) });
      // The newest of now are kept too: those that come will push them out of the newest.
      const shown = newest.value ? merge(newest.value, older?.jobs) : [];
      setKnown({ ...page, jobs: [...shown, ...page.jobs], status });
      setProblem(undefined);
    } catch (error) {
      setProblem(error as Error);
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
      <fieldset class="choices" aria-label="Status">
        {filters.map(([value, text]) => (
          <label key={value}>
            <input
              type="radio"
              name="status"
              checked={value === status}
              onChange={() => filterBy(value)}
            />
            {text}
          </label>
        ))}
      </fieldset>
      <Failed error={newest.failure} retry={newest.reload} />
      {!newest.value && !newest.failure && <Skeleton lines={8} />}
      {newest.value && <Listed jobs={merge(newest.value, older?.jobs)} status={status} />}
      <Failed error={problem} />
      {cursor && (
        <button type="button" class="quiet" onClick={more}>
          Older jobs
        </button>
      )}
    </>
  );
}

const list = (query: { status: string; cursor?: string }, signal?: AbortSignal) => {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const path = `/batch/jobs?${new URLSearchParams(given)}`;
  return call<Page>('GET', path, undefined, signal);
};

/** Puts after the newest what is known of older ones: newer jobs have greater ids, and stand in the newest if at all. */
function merge({ jobs, next_cursor }: Page, older: Job[] = []): Job[] {
  const last = jobs.at(-1)?.id;
  if (!next_cursor) return jobs;
  return [...jobs, ...older.filter(({ id }) => last === undefined || id < last)];
}

function Listed({ jobs, status }: { jobs: Job[]; status: string }) {
  if (jobs.length > 0) return <JobTable jobs={jobs} caption="Jobs, the newest first" />;
  if (status) return <p class="empty">No job is {status}.</p>;
  return (
    <p class="empty">
      No jobs yet. <a href={linkTo('jobs', 'new')}>Submit the first one</a>: a question, a document
      of the drive, or a folder of them.
    </p>
  );
}
