import { useEffect, useState } from 'preact/hooks';
import { counted, moments, span } from '../parts/format.ts';
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
  const times: [string, string][] = [
    ['Queued', created_at],
    ...(started_at ? [[startText(retry_count), started_at] as [string, string]] : []),
    ...(completed_at ? [[endings[job.status] ?? 'Ended', completed_at] as [string, string]] : []),
  ];
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
      <ol class="times">
        {moments(times.map(([, at]) => at)).map((at, index) => (
          <li key={times[index]?.[0]}>
            <small>{times[index]?.[0]}</small> {at}
          </li>
        ))}
      </ol>
    </section>
  );
}

const startText = (retries: number) =>
  retries > 0 ? `Last started, after ${counted(retries, 'retry', 'retries')},` : 'Started';

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
