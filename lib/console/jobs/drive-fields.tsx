import type { JobDraft } from './job-draft.ts';

export interface DriveFieldsProps {
  draft: JobDraft;
  change(some: Partial<JobDraft>): void;
}

/** What is to be done with a file of the drive, or with each file of a folder. */
export function DriveFields({ draft, change }: DriveFieldsProps) {
  const { source, driveId, jobType, withInstruction, instruction } = draft;
  return (
    <>
      <label>
        Id of the {source}
        <input
          required
          autocomplete="off"
          spellcheck={false}
          value={driveId}
          aria-describedby="drive-note"
          onInput={({ currentTarget }) => change({ driveId: currentTarget.value })}
        />
        <small id="drive-note">
          The last part of its address on Google Drive; the key may read only its own folders.
        </small>
      </label>
      <label>
        <input
          type="checkbox"
          checked={withInstruction}
          onChange={({ currentTarget }) => change({ withInstruction: currentTarget.checked })}
        />
        Read it, then have a model answer
      </label>
      {withInstruction ? (
        <label>
          Instruction
          <textarea
            rows={3}
            maxLength={2000}
            required
            value={instruction}
            onInput={({ currentTarget }) => change({ instruction: currentTarget.value })}
          />
        </label>
      ) : (
        <label>
          Kind
          <select
            value={jobType}
            onChange={({ currentTarget }) =>
              change({ jobType: currentTarget.value as JobDraft['jobType'] })
            }
          >
            <option value="auto">by the file’s type</option>
            <option value="ocr">read it (OCR)</option>
            <option value="chat">put it to a model</option>
          </select>
        </label>
      )}
    </>
  );
}
