import { Select } from '../parts/select.tsx';
import type { JobDraft } from './job-draft.ts';

export interface DriveFieldsProps {
  draft: JobDraft;
  change(some: Partial<JobDraft>): void;
}

const kinds: [JobDraft['jobType'], string][] = [
  ['auto', 'by the file’s type'],
  ['ocr', 'read it (OCR)'],
  ['chat', 'put it to a model'],
];

const example = '{"number": "2041-77", "lines": [{"item": "Valve", "amount": 12.5}]}';

/** The fields for a job on a file of the drive, or on each file of a folder. */
export function DriveFields({ draft, change }: DriveFieldsProps) {
  const { source, driveId, jobType, nextStep, instruction, fields, requireEvidence } = draft;
  const choice = (name: 'answer' | 'fields', text: string) => (
    <label>
      <input
        type="checkbox"
        checked={nextStep === name}
        onChange={({ currentTarget }) =>
          change({ nextStep: currentTarget.checked ? name : 'nothing' })
        }
      />
      {text}
    </label>
  );
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
          {source === 'file' && ' Or the id of an uploaded file, file-….'}
        </small>
      </label>
      {choice('answer', 'Read it, then have a model answer')}
      {choice('fields', 'Read it, then take fields from it')}
      {nextStep === 'answer' && (
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
      )}
      {nextStep === 'fields' && (
        <>
          <label>
            Fields
            <textarea
              rows={8}
              required
              spellcheck={false}
              value={fields}
              aria-describedby="fields-note"
              placeholder={example}
              onInput={({ currentTarget }) => change({ fields: currentTarget.value })}
            />
            <small id="fields-note">
              As JSON: an example of what is wanted, or a JSON Schema with properties.
            </small>
          </label>
          <label>
            <input
              type="checkbox"
              checked={requireEvidence}
              onChange={({ currentTarget }) => change({ requireEvidence: currentTarget.checked })}
            />
            Leave out values that stand on no page
          </label>
        </>
      )}
      {nextStep === 'nothing' && (
        <Select
          label="Kind"
          of={kinds}
          chosen={jobType}
          choose={(chosen) => change({ jobType: chosen })}
        />
      )}
    </>
  );
}
