import { useState } from 'preact/hooks';
import type { ExtractResult } from '../../../../shared/jobs/results/result.ts';
import { useAction } from '../../parts/action.ts';
import { Failed } from '../../parts/failed.tsx';
import type { Job } from '../job.ts';
import { Fields } from './fields.tsx';

/** A result too long for a record: it lies on a host that the page may not ask, so that its user brings it. */
export function LongResult({ job, url }: { job: Job; url: string }) {
  const [whole, setWhole] = useState<ExtractResult>();
  const { problem, act } = useAction();
  if (whole) return <Fields job={job} result={whole} />;
  const open = (file: File | undefined) =>
    file && act(async () => setWhole(resultIn(await file.text())));
  return (
    <>
      <p>
        <a href={url} target="_blank" rel="noopener noreferrer">
          Open the result: it is too long to be shown here at once
        </a>
      </p>
      <label>
        Save it as a file, and choose that to see its values beside the pages
        <input type="file" onChange={({ currentTarget }) => open(currentTarget.files?.[0])} />
      </label>
      <Failed error={problem} />
    </>
  );
}

function resultIn(text: string): ExtractResult {
  let result: Partial<ExtractResult> | null;
  try {
    result = JSON.parse(text);
  } catch (cause) {
    throw new Error('The file is no JSON.', { cause });
  }
  if (result?.type !== 'extract' || !result.schema || !result.evidence || !result.coverage) {
    throw new Error('The file is no result of an extraction.');
  }
  return result as ExtractResult;
}
