import type { Batch } from '../../../shared/jobs/kinds/batch/batch.ts';
import { get } from '../api/call.ts';
import { unlessGone } from '../api/failure.ts';
import { useLive } from '../api/live.ts';
import { isoOf, readFile } from '../files/file.ts';
import { FileTable } from '../files/file-table.tsx';
import { Facts } from '../parts/facts.tsx';
import { Failed } from '../parts/failed.tsx';
import { moment, span } from '../parts/format.ts';
import { hasEnded, type Job } from './job.ts';
import { LineErrors } from './line-errors.tsx';
import { ProgressBar } from './status.tsx';

/** The part of a job's page that only batches have: lines, window, files, and faults in lines. */
export function BatchPart({ job, id }: { job: Job; id: string }) {
  const batch = useLive(
    `${id} ${hasEnded(job)}`,
    (signal) => get<Batch>(`/v1/batches/${encodeURIComponent(id)}`, signal),
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
  return (
    <>
      {total > 0 && <ProgressBar progress={progress} />}
      <section aria-labelledby="batch">
        <h2 id="batch">Batch</h2>
        <Facts
          rows={[
            ['Stands', batch.status.replace('_', ' ')],
            ['Endpoint', batch.endpoint],
            ['Window', windowOf(batch)],
          ]}
        />
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

/** The files of a batch: its requests, its answers, what failed. One that was deleted or has expired is left out. */
function BatchFiles({ batch }: { batch: Batch }) {
  const { input_file_id, output_file_id, error_file_id } = batch;
  const named: [id: string | null, title: string][] = [
    [input_file_id, 'Requests'],
    [output_file_id, 'Answers'],
    [error_file_id, 'What failed'],
  ];
  const titles = new Map(named.filter((each): each is [string, string] => each[0] !== null));
  const ids = [...titles.keys()];
  const found = useLive(
    ids.join(' '),
    (signal) => Promise.all(ids.map((id) => readFile(id, signal).catch(unlessGone))),
    { isFinal: () => true },
  );
  const files = found.value?.filter((file) => file !== undefined) ?? [];
  return (
    <>
      <LineErrors batch={batch} file={files.find(({ id }) => id === error_file_id)} />
      <section aria-labelledby="files">
        <h2 id="files">Files</h2>
        <Failed error={found.failure} retry={found.reload} />
        {files.length > 0 && (
          <FileTable
            files={files}
            caption="Files of this batch"
            titleOf={({ id }) => titles.get(id) ?? id}
            reload={found.reload}
          />
        )}
        {found.value && files.length < ids.length && (
          <p class="note">
            {files.length === 0 ? 'None is left.' : 'The others are gone.'} Files are deleted, or
            expire.
          </p>
        )}
      </section>
    </>
  );
}
