import type { Batch } from '../../../shared/jobs/kinds/batch/batch.ts';
import { unlessGone } from '../api/failure.ts';
import { useLive } from '../api/live.ts';
import { readFile } from '../files/file.ts';
import { FileTable } from '../files/file-table.tsx';
import { Failed } from '../parts/failed.tsx';
import { LineErrors } from './line-errors.tsx';

/** The files of a batch: its requests, its answers, what failed. One that was deleted or has expired is left out. */
export function BatchFiles({ batch }: { batch: Batch }) {
  const { input_file_id, output_file_id, error_file_id } = batch;
  const named: [id: string | null, title: string][] = [
    [input_file_id, 'Requests'],
    [output_file_id, 'Answers'],
    [error_file_id, 'What failed'],
  ];
  const titles = new Map(named.filter((each): each is [string, string] => each[0] !== null));
  const ids = [...titles.keys()];
  const found = useLive(
    ids.join(' '),
    (signal) => Promise.all(ids.map((id) => readFile(id, signal).catch(unlessGone))),
    { isFinal: () => true },
  );
  const files = found.value?.filter((file) => file !== undefined) ?? [];
  return (
    <>
      <LineErrors batch={batch} file={files.find(({ id }) => id === error_file_id)} />
      <section aria-labelledby="files">
        <h2 id="files">Files</h2>
        <Failed error={found.failure} retry={found.reload} />
        {files.length > 0 && (
          <FileTable
            files={files}
            caption="Files of this batch"
            titleOf={({ id }) => titles.get(id) ?? id}
            reload={found.reload}
          />
        )}
        {found.value && files.length < ids.length && (
          <p class="note">
            {files.length === 0 ? 'None is left.' : 'The others are gone.'} Files are deleted, or
            expire.
          </p>
        )}
      </section>
    </>
  );
}
