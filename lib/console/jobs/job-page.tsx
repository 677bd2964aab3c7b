import { call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { Failed } from '../parts/failed.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { linkTo } from '../route.ts';
import { BatchPart } from './batch.tsx';
import { FolderFiles } from './folder-files.tsx';
import { hasEnded, type Job, kindOf, titleOf, wordsOf } from './job.ts';
import { JobActions } from './job-actions.tsx';
import { Result } from './result.tsx';
import { ProgressBar, Status } from './status.tsx';
import { Timeline } from './timeline.tsx';

/** One job: where it stands, how it came there, and what it came to. */
export function JobPage({ id }: { id: string }) {
  const job = useLive(
    id,
    (signal) => call<Job>('GET', `/batch/jobs/${encodeURIComponent(id)}`, undefined, signal),
    { isFinal: hasEnded },
  );
  return (
    <>
      <p>
        <a href={linkTo('jobs')}>← Jobs</a>
      </p>
      {job.value ? (
        <Shown job={job.value} reload={job.reload} />
      ) : (
        <>
          <h1>Job</h1>
          {!job.failure && <Skeleton lines={8} />}
        </>
      )}
      <Failed error={job.failure} retry={job.reload} />
    </>
  );
}

function Shown({ job, reload }: { job: Job; reload: () => void }) {
  return (
    <>
      <div class="bar-of-choices">
        <h1>
          {titleOf(job)} <Status status={job.status} />
        </h1>
        <JobActions job={job} reload={reload} />
      </div>
      {job.error && (
        <p class={job.status === 'failed' ? 'refusal' : 'note'} role="status">
          {wordsOf(job.error)}
        </p>
      )}
      {job.batch_id ? (
        <BatchPart job={job} id={job.batch_id} />
      ) : (
        <ProgressBar progress={job.progress} />
      )}
      <Timeline job={job} />
      {job.result && <Result job={job} result={job.result} />}
      {job.input_type === 'drive_folder' && <FolderFiles job={job} />}
      <Details job={job} />
    </>
  );
}

/** The rest of the record. */
function Details({ job }: { job: Job }) {
  const rows: [string, string | number | null | undefined][] = [
    ['Id', job.id],
    ['Kind', kindOf(job)],
    ['Model', job.model],
    ['Priority', job.priority],
    ['Retries', `${job.retry_count} of ${job.max_retries}`],
    ['Instruction', job.pipeline_instruction],
    ['Folder', job.drive_folder_id],
    ['File', job.drive_file_id],
    ['Result on the drive', job.drive_result_file_id],
  ];
  return (
    <section aria-labelledby="details">
      <h2 id="details">Details</h2>
      <dl>
        {rows
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="id">{value}</dd>
            </div>
          ))}
        <JobLink name="Part of" id={job.parent_job_id} />
        <JobLink name="Tries again" id={job.retry_of} />
      </dl>
    </section>
  );
}

function JobLink({ name, id }: { name: string; id: string | null | undefined }) {
  if (!id) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd class="id">
        <a href={linkTo('jobs', id)}>{id}</a>
      </dd>
    </div>
  );
}
