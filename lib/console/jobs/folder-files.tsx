import { call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { Failed } from '../parts/failed.tsx';
import { hasEnded, type Job } from './job.ts';
import { JobTable } from './job-table.tsx';

/** The jobs of a folder's files, as they move. */
export function FolderFiles({ job }: { job: Job }) {
  const ended = hasEnded(job);
  const files = useLive(
    `files of ${job.id} ${ended}`,
    (signal) =>
      call<{ jobs: Job[]; next_cursor: string | null }>(
        'GET',
        `/batch/jobs?parent_job_id=${encodeURIComponent(job.id)}`,
        undefined,
        signal,
      ),
    { isFinal: () => ended },
  );
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <Failed error={files.failure} retry={files.reload} />
      {files.value?.jobs.length === 0 && <p class="empty">No file was found yet.</p>}
      {files.value && files.value.jobs.length > 0 && (
        <JobTable jobs={files.value.jobs} caption="Files of this folder" />
      )}
      {files.value?.next_cursor && <p class="note">The newest 50 of them are shown.</p>}
    </section>
  );
}
