import { useLive } from '../api/live.ts';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Awaited } from '../parts/failed.tsx';
import { span, usd } from '../parts/format.ts';
import { linkTo } from '../route.ts';
import { BatchPart } from './batch.tsx';
import { FolderFiles } from './folder-files.tsx';
import {
  costOf,
  filesText,
  hasEnded,
  isFolder,
  type Job,
  kindOf,
  readJob,
  titleOf,
  wordsOf,
} from './job.ts';
import { JobActions } from './job-actions.tsx';
import { folderCost, Steps, useFiles } from './job-tree.tsx';
import { Result, Text } from './result.tsx';
import { factsOf } from './result-text.ts';
import { ProgressBar, Status } from './status.tsx';
import { Timeline } from './timeline.tsx';

/** One job: its state, its steps and its result. */
export function JobPage({ id }: { id: string }) {
  const job = useLive(id, (signal) => readJob(id, signal), { isFinal: hasEnded });
  return (
    <>
      <p>
        <a href={linkTo('jobs')}>← Jobs</a>
        {job.value?.parent_job_id && <Above id={job.value.parent_job_id} />}
      </p>
      {job.value ? <Shown job={job.value} reload={job.reload} /> : <h1>Job</h1>}
      <Awaited of={job} lines={8} />
    </>
  );
}

/** The jobs that one was made for, by their names. */
function Above({ id }: { id: string }) {
  const { value: job } = useLive(id, (signal) => readJob(id, signal), { isFinal: () => true });
  return (
    <>
      {job?.parent_job_id && <Above id={job.parent_job_id} />} /{' '}
      <a href={linkTo('jobs', id)}>{job ? titleOf(job) : '…'}</a>
    </>
  );
}

function Shown({ job, reload }: { job: Job; reload: () => void }) {
  const files = useFiles(job, isFolder(job));
  return (
    <>
      <div class="bar-of-choices">
        <h1 class="id">
          {titleOf(job)} <Status status={job.status} />
        </h1>
        <JobActions job={job} reload={reload} />
      </div>
      <Summary job={job} cost={isFolder(job) ? folderCost(job, files.value) : costOf(job)} />
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
      {job.result && !isFolder(job) && <Result job={job} result={job.result} />}
      {isFolder(job) && <FolderFiles job={job} files={files} />}
      <Timeline job={job} />
      <Details job={job} />
    </>
  );
}

/** A job's task, model, cost and duration. */
function Summary({ job, cost }: { job: Job; cost: number | undefined }) {
  const { started_at, completed_at } = job;
  const facts = [
    kindOf(job),
    job.model,
    filesText(job),
    ...(job.result ? factsOf(job.result) : []),
    cost !== undefined && usd(cost),
    started_at && completed_at && span(Date.parse(completed_at) - Date.parse(started_at)),
  ];
  return (
    <p class="note">
      {facts.filter(Boolean).join(' · ')}
      <br />
      <Steps job={job} />
    </p>
  );
}

/** The rest of the record. */
function Details({ job }: { job: Job }) {
  const rows: Fact[] = [
    ['Id', job.id],
    ['Priority', job.priority],
    ['Retries', `${job.retry_count} of ${job.max_retries}`],
    ['Instruction', job.pipeline_instruction],
    ['Folder on the drive', job.drive_folder_id],
    ['File on the drive', job.drive_file_id],
    ['Its result on the drive', job.drive_result_file_id],
    ['Made for', linkOf(job.parent_job_id)],
    ['Tries again', linkOf(job.retry_of)],
  ];
  return (
    <section aria-labelledby="details">
      <h2 id="details">Details</h2>
      <Facts rows={rows} kind="id" />
      {job.result && (
        <details>
          <summary>Result as JSON</summary>
          <Text text={JSON.stringify(job.result, null, 2)} name={`${job.id}.json`} />
        </details>
      )}
    </section>
  );
}

const linkOf = (id: string | null | undefined) => id && <a href={linkTo('jobs', id)}>{id}</a>;
