import type { Batch } from '../../../shared/jobs/kinds/batch/batch.ts';
import { call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { isoOf } from '../files/file.ts';
import { Failed } from '../parts/failed.tsx';
import { moment, span } from '../parts/format.ts';
import { BatchFiles } from './batch-files.tsx';
import { hasEnded, type Job } from './job.ts';
import { ProgressBar } from './status.tsx';

/** What a batch has beside other jobs: its lines, its window, its files, and what is wrong with its lines. */
export function BatchPart({ job, id }: { job: Job; id: string }) {
  const batch = useLive(
    `${id} ${hasEnded(job)}`,
    (signal) => call<Batch>('GET', `/v1/batches/${encodeURIComponent(id)}`, undefined, signal),
    { isFinal: isOver },
  );
  return (
    <>
      {batch.value && <Shown batch={batch.value} />}
      <Failed error={batch.failure} retry={batch.reload} />
    </>
  );
}

const isOver = ({ status }: Batch) =>
  ['completed', 'failed', 'expired', 'cancelled'].includes(status);

function Shown({ batch }: { batch: Batch }) {
  const { total, completed, failed } = batch.request_counts;
  const progress = { done: completed, total, failed, unit: 'lines' as const };
  const rows: [string, string][] = [
    ['Stands', batch.status.replace('_', ' ')],
    ['Endpoint', batch.endpoint],
    ['Window', windowOf(batch)],
  ];
  return (
    <>
      {total > 0 && <ProgressBar progress={progress} />}
      <section aria-labelledby="batch">
        <h2 id="batch">Batch</h2>
        <dl>
          {rows.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <BatchFiles batch={batch} />
    </>
  );
}

/** Says when its window ends, and what is left of it while that matters. */
function windowOf(batch: Batch): string {
  if (batch.expires_at === null) return batch.completion_window;
  const end = isoOf(batch.expires_at);
  const leftMs = Date.parse(end) - Date.now();
  const left = !isOver(batch) && leftMs > 0 ? `, ${span(leftMs)} left` : '';
  return `until ${moment(end)}${left}`;
}
