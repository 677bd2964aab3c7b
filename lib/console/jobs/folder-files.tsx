import { Awaited } from '../parts/failed.tsx';
import { count } from '../parts/format.ts';
import { Quiet } from '../parts/quiet.tsx';
import { FolderTable } from './folder-table.tsx';
import { hasEnded, type Job } from './job.ts';
import { FileRows, type useFiles } from './job-tree.tsx';

const reasons = {
  unsupported_file_type: 'of a type that this kind of job does not read',
  already_submitted: 'done by an earlier job',
  unreadable: 'could not be read from the drive',
};

/** Counts the files of a folder that have jobs, as far as the folder has been listed. */
function filesOf({ result, progress }: Job): number {
  if (result?.type !== 'folder') return progress?.total ?? 0;
  const { done, failed, cancelled } = result.files;
  return done + failed + cancelled;
}

/** The jobs of a folder's files, as they move, and what was taken from them. */
export function FolderFiles({ job, files }: { job: Job; files: ReturnType<typeof useFiles> }) {
  const { jobs = [], next_cursor } = files.value ?? {};
  const leftOut = job.result?.type === 'folder' ? job.result.left_out : [];
  return (
    <>
      {job.extract && hasEnded(job) && <FolderTable folder={job} files={jobs} />}
      <section aria-labelledby="files">
        <h2 id="files">Files</h2>
        <Awaited of={files} lines={3} />
        {files.value && jobs.length === 0 && (
          <p class="empty">
            {hasEnded(job) ? 'No file was read.' : 'No file was found yet.'} A folder’s files of
            types that can be read each get a row here.
          </p>
        )}
        {jobs.length > 0 && (
          <div class="tree files">
            <FileRows jobs={jobs} caption="Files of this folder" />
          </div>
        )}
        {next_cursor && (
          <p class="note more">
            {count(jobs.length)} of {count(filesOf(job))} files are shown.{' '}
            {files.more ? (
              <Quiet onClick={files.more}>Show more</Quiet>
            ) : (
              <>
                <code>GET /batch/jobs?parent_job_id={job.id}</code> lists the others.
              </>
            )}
          </p>
        )}
        {leftOut.length > 0 && (
          <details>
            <summary>Left out: {leftOut.length}</summary>
            <ul>
              {leftOut.map(({ file_id, filename, reason }) => (
                <li key={file_id}>
                  {filename}: <small>{reasons[reason]}</small>
                </li>
              ))}
            </ul>
          </details>
        )}
      </section>
    </>
  );
}
