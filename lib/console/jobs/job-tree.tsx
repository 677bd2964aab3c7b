import { useRef, useState } from 'preact/hooks';
import { useLive } from '../api/live.ts';
import { Failed } from '../parts/failed.tsx';
import { ago, moment, usd } from '../parts/format.ts';
import { linkTo } from '../route.ts';
import {
  byTitle,
  costOf,
  hasEnded,
  isFolder,
  type Job,
  kindOf,
  stepsOf,
  titleOf,
  wordsOf,
} from './job.ts';
import { type Branch, type FilesPage, listFiles } from './job-list.ts';
import { ProgressText, Status } from './status.tsx';

/** Jobs as rows, each with a link to its page, with the jobs of a folder's files under it. */
export function JobTree({ branches, caption }: { branches: Branch[]; caption: string }) {
  const newest = branches.find(({ job }) => hasFiles(job))?.job.id;
  return (
    <ul class="tree" aria-label={caption}>
      {branches.map((branch) => (
        <BranchRow key={branch.job.id} branch={branch} isNewest={branch.job.id === newest} />
      ))}
    </ul>
  );
}

/** Whether a job has files under it: a folder that can't be read has none. */
const hasFiles = (job: Job) => isFolder(job) && (job.status !== 'failed' || job.result !== null);

/** The most pages of files that are shown. */
const maxPages = 20;

/**
 * Loads the jobs of a folder's files, a page of 50 first and one more each time that `more` is called, as they move; nothing
 * while they aren't wanted. The pages of a folder that has ended are asked for once.
 */
export function useFiles(job: Job, isWanted: boolean) {
  const ended = hasEnded(job);
  const name = `files of ${job.id} ${ended} ${isWanted}`;
  const count = useRef(1);
  const kept = useRef({ name: '', pages: [] as FilesPage[] });
  const load = async (signal: AbortSignal): Promise<FilesPage | undefined> => {
    if (!isWanted) return undefined;
    const known = ended && kept.current.name === name ? kept.current.pages : [];
    const pages = await listFiles(job.id, count.current, known, signal);
    kept.current = { name, pages };
    const next_cursor = pages.at(-1)?.next_cursor ?? null;
    return { jobs: pages.flatMap(({ jobs }) => jobs), next_cursor };
  };
  const live = useLive(name, load, { isFinal: () => ended || !isWanted });
  const more = () => {
    count.current += 1;
    live.reload();
  };
  const canGrow = live.value?.next_cursor && count.current < maxPages;
  return { ...live, more: canGrow ? more : undefined };
}

/** What a folder has cost: as its result says, and before that as far as all of its files are known. */
export function folderCost(job: Job, files: FilesPage | undefined): number | undefined {
  const told = costOf(job);
  if (told !== undefined || !files || files.next_cursor) return told;
  return files.jobs.reduce((sum, file) => sum + (costOf(file) ?? 0), 0);
}

function BranchRow({ branch: { job, files }, isNewest }: { branch: Branch; isNewest: boolean }) {
  const isSome = files !== undefined;
  const [isOpen, setOpen] = useState(isSome || isNewest);
  const all = useFiles(job, hasFiles(job) && isOpen && !isSome);
  if (!hasFiles(job)) {
    return (
      <li>
        <Row job={job} />
      </li>
    );
  }
  const shown = files ?? all.value?.jobs;
  return (
    <li>
      <Row job={job} cost={folderCost(job, all.value)}>
        <button
          type="button"
          class="toggle"
          aria-expanded={isOpen}
          aria-label={`Files of ${titleOf(job)}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
      </Row>
      {isOpen && (
        <>
          {shown && <FileRows jobs={shown} caption={`Files of ${titleOf(job)}`} />}
          <Failed error={all.failure} retry={all.reload} />
          {(isSome || all.value?.next_cursor) && (
            <p class="note more">
              {isSome ? 'Those that match.' : 'The first 50.'}{' '}
              <a href={linkTo('jobs', job.id)}>All files are on the folder’s page</a>
            </p>
          )}
        </>
      )}
    </li>
  );
}

/** The jobs of files, by their names. */
export function FileRows({ jobs, caption }: { jobs: Job[]; caption: string }) {
  return (
    <ul aria-label={caption}>
      {jobs.toSorted(byTitle).map((job) => (
        <li key={job.id}>
          <Row job={job} isFile />
        </li>
      ))}
    </ul>
  );
}

interface RowProps {
  job: Job;
  /** Whether it stands under its folder, which tells the rest. */
  isFile?: boolean;
  cost?: number | undefined;
  /** The button that opens it. */
  children?: preact.ComponentChildren;
}

function Row({ job, isFile = false, cost = costOf(job), children }: RowProps) {
  // A file's steps already say that they are done.
  const isTold = isFile && job.status === 'done' && stepsOf(job).length > 0;
  return (
    <div class="row">
      {children}
      <div class="name">
        <a href={linkTo('jobs', job.id)}>{titleOf(job)}</a>
        {!isFile && (
          <small>
            {isFolder(job) ? 'folder: ' : ''}
            {kindOf(job)} · {job.model}
          </small>
        )}
        {job.error && <small class="problem">{wordsOf(job.error)}</small>}
      </div>
      <div class="stand">
        {isTold || <Status status={job.status} />} <ProgressText job={job} /> <Steps job={job} />
      </div>
      <div class="cost">{cost !== undefined && usd(cost)}</div>
      <div class="when" title={moment(job.created_at, 'medium')}>
        {!isFile && ago(job.created_at)}
      </div>
    </div>
  );
}

/** The steps of a document, each with where it stands and what it cost. */
export function Steps({ job }: { job: Job }) {
  const steps = stepsOf(job);
  if (steps.length === 0) return null;
  return (
    <span class="steps">
      {steps.map(({ name, status, cost }, index) => (
        <span key={name}>
          {index > 0 && ' → '}
          <span class={status}>
            {name}
            {status === 'done' ? ' ✓' : status === 'processing' ? '…' : ''}
          </span>
          <span class="unseen"> {status}</span>
          {cost ? ` ${usd(cost)}` : ''}
        </span>
      ))}
    </span>
  );
}
