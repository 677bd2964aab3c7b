import { useEffect, useRef, useState } from 'preact/hooks';
import type { Purpose } from '../../../shared/files/file.ts';
import { useAction } from '../parts/action.ts';
import { Failed } from '../parts/failed.tsx';
import { bytes } from '../parts/format.ts';
import { Quiet } from '../parts/quiet.tsx';
import { Select } from '../parts/select.tsx';
import { uploadChosen } from './upload.ts';

/** What a file may be uploaded for. */
const purposes: Purpose[] = ['user_data', 'batch', 'assistants', 'vision', 'fine-tune', 'evals'];

/** Requests of a batch are lines of JSON. */
const likelyPurpose = ({ name }: File): Purpose => (/\.jsonl$/i.test(name) ? 'batch' : 'user_data');

/** How long a file may be kept, in seconds; empty for as long as its purpose says. */
const lifetimes: [seconds: string, text: string][] = [
  ['', 'By its purpose (batch: 30 days)'],
  ['86400', 'After a day'],
  ['604800', 'After a week'],
  ['2592000', 'After 30 days'],
];

/** The form that uploads a file. Whoever leaves it while it is at work cancels it. */
export function UploadForm({ onUploaded }: { onUploaded: () => void }) {
  const [file, setFile] = useState<File>();
  const [purpose, setPurpose] = useState<Purpose>('user_data');
  const [kept, setKept] = useState('');
  const [sent, setSent] = useState(0);
  const { problem, isBusy, act } = useAction();
  const [done, setDone] = useState<string>();
  const leaving = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (!file) return;
    const form = event.currentTarget as HTMLFormElement;
    const cancelling = new AbortController();
    leaving.current = cancelling;
    setSent(0);
    setDone(undefined);
    await act(async () => {
      const keptSeconds = kept ? Number(kept) : undefined;
      const how = { purpose, keptSeconds };
      const { filename } = await uploadChosen(file, how, setSent, cancelling.signal);
      form.reset();
      setFile(undefined);
      setDone(`${filename} is uploaded.`);
      onUploaded();
    });
  };

  return (
    <form class="narrow upload" aria-label="Upload a file" onSubmit={submit}>
      <fieldset disabled={isBusy}>
        <label>
          File
          <input
            type="file"
            required
            onChange={({ currentTarget }) => {
              const chosen = currentTarget.files?.[0];
              setFile(chosen);
              if (chosen) setPurpose(likelyPurpose(chosen));
            }}
          />
        </label>
        <Select label="Purpose" of={purposes} chosen={purpose} choose={setPurpose} />
        <Select label="Expires" of={lifetimes} chosen={kept} choose={setKept} />
      </fieldset>
      {isBusy && file && (
        <div role="status">
          <progress aria-label="Uploaded" value={sent || undefined} max={file.size} />
          <p class="note">
            {bytes(sent)} of {bytes(file.size)}
          </p>
        </div>
      )}
      {done && <p role="status">{done}</p>}
      <Failed error={problem} />
      <div class="actions">
        <button type="submit" class="small" disabled={isBusy}>
          Upload
        </button>
        {isBusy && <Quiet onClick={() => leaving.current?.abort()}>Cancel</Quiet>}
      </div>
    </form>
  );
}
