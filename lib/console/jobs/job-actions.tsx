import { call } from '../api/call.ts';
import { useAction } from '../parts/action.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Failed } from '../parts/failed.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { goTo } from '../route.ts';
import { hasEnded, type Job } from './job.ts';
import { draftOf, jobDraft } from './job-draft.ts';

/** What may be done with a job as it stands. */
export function JobActions({ job, reload }: { job: Job; reload: () => void }) {
  const { problem, isBusy, act } = useAction();
  const path = `/batch/jobs/${encodeURIComponent(job.id)}`;
  const ask = (verb: 'cancel' | 'stop' | 'retry') =>
    act(async () => {
      try {
        const { id } = await call<Job>('POST', `${path}/${verb}`);
        if (id !== job.id) return goTo('jobs', id);
        reload();
      } catch (error) {
        reload();
        throw error;
      }
    });
  const remove = () => act(() => call('DELETE', path).then(() => goTo('jobs')));
  const again = () => {
    jobDraft.value = draftOf(job);
    goTo('jobs', 'new');
  };

  return (
    <div class="actions">
      {job.status === 'queued' && (
        <Quiet disabled={isBusy} onClick={() => ask('cancel')}>
          Cancel
        </Quiet>
      )}
      {!hasEnded(job) && (
        <Quiet disabled={isBusy} onClick={() => ask('stop')}>
          Stop
        </Quiet>
      )}
      {isRetriable(job) && (
        <Quiet disabled={isBusy} onClick={() => ask('retry')}>
          {job.result?.type === 'folder' ? 'Retry failed files' : 'Retry'}
        </Quiet>
      )}
      {hasEnded(job) && !job.parent_job_id && !job.batch_id && (
        <Quiet onClick={again}>Run again</Quiet>
      )}
      {hasEnded(job) && (
        <DeleteButton
          label="Delete this job?"
          question="Erase it, and all that was made for it?"
          isBusy={isBusy}
          remove={remove}
        />
      )}
      <Failed error={problem} />
    </div>
  );
}

/** A job that failed or was stopped, or a folder with such files. */
function isRetriable({ status, result }: Job): boolean {
  if (result?.type === 'folder') return result.files.failed > 0;
  return status === 'failed' || status === 'cancelled';
}
