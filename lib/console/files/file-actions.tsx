import { useAction } from '../parts/action.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Failed } from '../parts/failed.tsx';
import { deleteFile, type FileObject, saveFile } from './file.ts';

/** What may be done with a file. The result of a job goes with its job, and not by itself. */
export function FileActions({ file, onGone }: { file: FileObject; onGone: () => void }) {
  const { problem, isBusy, act } = useAction();

  return (
    <div class="actions">
      <button
        type="button"
        class="quiet"
        aria-label={`Download ${file.filename}`}
        disabled={isBusy}
        onClick={() => act(() => saveFile(file))}
      >
        Download
      </button>
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
