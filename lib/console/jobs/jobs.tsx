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
  const [older, setOlder] = useState<Page>();
  const [problem, setProblem] = useState<Error>();
  const cursor = older ? older.next_cursor : newest.value?.next_cursor;

  const filterBy = (chosen: '' | JobStatus) => {
    setOlder(undefined);
    setStatus(chosen);
  };
  const more = async () => {
    try {
      const page = await list({ status, ...(cursor && { cursor }) });
      setOlder({ ...page, jobs: [...(older?.jobs ?? []), ...page.jobs] });
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
      {newest.value && <Listed jobs={merge(newest.value.jobs, older?.jobs)} status={status} />}
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

/** Puts older pages after the newest, without the jobs that new ones have pushed into both. */
function merge(newest: Job[], older: Job[] = []): Job[] {
  const ids = new Set(newest.map(({ id }) => id));
  return [...newest, ...older.filter(({ id }) => !ids.has(id))];
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
