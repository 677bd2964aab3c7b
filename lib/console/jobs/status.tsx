import type { Progress } from '../../../shared/jobs/engine/item/status.ts';
import { Meter } from '../parts/meter.tsx';
import { filesText, type Job, progressText } from './job.ts';

/** Where a job stands, in a word with a colour. */
export const Status = ({ status }: Pick<Job, 'status'>) => (
  <span class={`badge ${status}`}>{status}</span>
);

/** How far a job has come, in words. */
export const ProgressText = ({ job }: { job: Job }) => (
  <small>{job.progress ? progressText(job.progress) : filesText(job)}</small>
);

/** How far a job has come, as a bar and in words. */
export function ProgressBar({ progress }: { progress: Progress | null | undefined }) {
  if (!progress) return null;
  const { done, failed, total } = progress;
  return (
    <>
      <p role="status">{progressText(progress)}</p>
      <Meter
        label="Progress"
        total={total}
        parts={[
          { name: 'done', value: done, text: `${done} done` },
          ...(failed > 0
            ? [{ name: 'failed' as const, value: failed, text: `${failed} failed` }]
            : []),
          { name: 'left', value: total - done - failed, text: `${total - done - failed} left` },
        ]}
      />
    </>
  );
}
