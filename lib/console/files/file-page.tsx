import { useLive } from '../api/live.ts';
import { draftJobOf } from '../jobs/job-draft.ts';
import { useAction } from '../parts/action.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Facts } from '../parts/facts.tsx';
import { Awaited, Failed } from '../parts/failed.tsx';
import { bytes, moment } from '../parts/format.ts';
import { Quiet } from '../parts/quiet.tsx';
import { goTo, linkTo } from '../route.ts';
import { deleteFile, expiryOf, type FileObject, isoOf, readFile, saveFile } from './file.ts';
import { NewBatch } from './new-batch.tsx';

/** One file: its attributes, and the forms that make a job or a batch of it. */
export function FilePage({ id }: { id: string }) {
  const file = useLive(id, (signal) => readFile(id, signal), { isFinal: () => true });
  return (
    <>
      <p>
        <a href={linkTo('files')}>← Files</a>
      </p>
      {file.value ? <Shown file={file.value} /> : <h1>File</h1>}
      <Awaited of={file} lines={4} />
    </>
  );
}

function Shown({ file }: { file: FileObject }) {
  return (
    <>
      <div class="bar-of-choices">
        <h1 class="id">{file.filename}</h1>
        {file.purpose !== 'batch' && (
          <a href={linkTo('jobs', 'new')} class="main-link" onClick={() => draftJobOf(file.id)}>
            New job
          </a>
        )}
        <FileActions file={file} onGone={() => goTo('files')} />
      </div>
      <section aria-label="Details">
        <Facts
          kind="id"
          rows={[
            ['Id', file.id],
            ['Purpose', file.purpose],
            ['Size', bytes(file.bytes)],
            ['Made', moment(isoOf(file.created_at))],
            ['Expires', expiryOf(file)],
          ]}
        />
      </section>
      {file.purpose === 'batch' && <NewBatch file={file} />}
    </>
  );
}

/** What may be done with a file. The result of a job goes with its job, and not by itself. */
export function FileActions({ file, onGone }: { file: FileObject; onGone: () => void }) {
  const { problem, isBusy, act } = useAction();

  return (
    <div class="actions">
      <Quiet
        aria-label={`Download ${file.filename}`}
        disabled={isBusy}
        onClick={() => act(() => saveFile(file))}
      >
        Download
      </Quiet>
      {file.purpose !== 'job_result' && (
        <DeleteButton
          label={`Delete ${file.filename}?`}
          question="Erase it?"
          isBusy={isBusy}
          remove={() => act(() => deleteFile(file.id).then(onGone))}
        />
      )}
      <Failed error={problem} />
    </div>
  );
}
