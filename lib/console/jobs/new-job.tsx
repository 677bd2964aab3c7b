import { call } from '../api/call.ts';
import { useAction } from '../parts/action.ts';
import { Choices } from '../parts/choices.tsx';
import { Failed } from '../parts/failed.tsx';
import { goTo, linkTo } from '../route.ts';
import { DriveFields } from './drive-fields.tsx';
import type { Job } from './job.ts';
import { type JobDraft, jobDraft, noteSubmitted, submissionOf } from './job-draft.ts';

const sources: [JobDraft['source'], string][] = [
  ['message', 'A message'],
  ['file', 'A file'],
  ['folder', 'A folder'],
];

/** Changes a part of the job that is being written. */
const change = (some: Partial<JobDraft>) => {
  jobDraft.value = { ...jobDraft.value, ...some };
};

/** The form that submits a job. */
export function NewJob() {
  const draft = jobDraft.value;
  const { problem, isBusy, act } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    return act(async () => {
      const { id } = await call<Job>('POST', '/batch/jobs', submissionOf(draft));
      noteSubmitted(id);
      goTo('jobs', id);
    });
  };

  return (
    <>
      <p>
        <a href={linkTo('jobs')}>← Jobs</a>
      </p>
      <h1>New job</h1>
      <form class="narrow" onSubmit={submit}>
        <Choices
          label="What it works on"
          of={sources}
          chosen={draft.source}
          choose={(source) => change({ source })}
        />
        {draft.source === 'message' ? (
          <label>
            Message
            <textarea
              rows={6}
              required
              value={draft.message}
              onInput={({ currentTarget }) => change({ message: currentTarget.value })}
            />
          </label>
        ) : (
          <DriveFields draft={draft} change={change} />
        )}
        <label>
          Model
          <input
            placeholder="default"
            value={draft.model}
            onInput={({ currentTarget }) => change({ model: currentTarget.value })}
          />
        </label>
        <label>
          Priority
          <input
            type="number"
            min="1"
            max="100"
            required
            value={draft.priority}
            aria-describedby="priority-note"
            onInput={({ currentTarget }) => change({ priority: Number(currentTarget.value) })}
          />
          <small id="priority-note">1 to 100; lower runs sooner.</small>
        </label>
        <Failed error={problem} />
        <button type="submit" disabled={isBusy}>
          Submit
        </button>
      </form>
    </>
  );
}
