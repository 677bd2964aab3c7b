import { useEffect, useState } from 'preact/hooks';
import { counted, moment, span } from '../parts/format.ts';
import { hasEnded, type Job } from './job.ts';

/** When a job was submitted, began and ended, with its wait and its run as bars. */
export function Timeline({ job }: { job: Job }) {
  const now = useNow(!hasEnded(job));
  const { created_at, started_at, completed_at, retry_count } = job;
  const begun = Date.parse(created_at);
  const end = completed_at ? Date.parse(completed_at) : Math.max(now, begun);
  // A job that waits to be tried again keeps the start of its last attempt.
  const start = started_at ? Math.min(end, Date.parse(started_at)) : end;
  const waitMs = start - begun;
  const runMs = end - start;
  const totalMs = Math.max(1, end - begun);
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <div class="timeline" role="img" aria-label={`Waited ${span(waitMs)}, ran ${span(runMs)}`}>
        <span class="wait" style={{ width: `${(waitMs / totalMs) * 100}%` }} />
        <span class={`run ${job.status}`} style={{ width: `${(runMs / totalMs) * 100}%` }} />
      </div>
      <p class="legend" aria-hidden="true">
        <span class="wait">waited {span(waitMs)}</span>
        {started_at && <span class={`run ${job.status}`}>ran {span(runMs)}</span>}
      </p>
      <ol class="steps">
        <li>Queued {moment(created_at)}</li>
        {started_at && (
          <li>
            {retry_count > 0 ? 'Last started' : 'Started'} {moment(started_at)}
            {retry_count > 0 && `, after ${counted(retry_count, 'retry', 'retries')}`}
          </li>
        )}
        {completed_at && (
          <li>
            {endings[job.status] ?? 'Ended'} {moment(completed_at)}
          </li>
        )}
      </ol>
    </section>
  );
}

const endings: Record<string, string> = { done: 'Done', failed: 'Failed', cancelled: 'Cancelled' };

/** The time, told again each second while a job runs. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
