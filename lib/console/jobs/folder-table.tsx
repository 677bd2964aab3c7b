import { useRef } from 'preact/hooks';
import { unlessGone } from '../api/failure.ts';
import { useLive } from '../api/live.ts';
import { Awaited } from '../parts/failed.tsx';
import { Table } from '../parts/table.tsx';
import { linkTo } from '../route.ts';
import { standingOf, textOf, type Value, valuesOf } from './evidence/values.ts';
import { byTitle, type Job, readJob, titleOf } from './job.ts';

/**
 * The values extracted from a folder: a row for each file, a column for each value. Lists of rows are on the files' own pages. A
 * list of jobs has the values that are short; a file with more is read, once.
 */
export function FolderTable({ folder, files }: { folder: Job; files: Job[] }) {
  const some = files.filter(({ result }) => result?.type === 'extract');
  const known = useRef(new Map<string, Job>());
  const whole = async (job: Job, signal: AbortSignal) => {
    if (job.result?.type === 'extract' && job.result.data !== null) return job;
    const read = known.current.get(job.id) ?? (await readJob(job.id, signal).catch(unlessGone));
    if (read) known.current.set(job.id, read);
    return read;
  };
  const read = useLive(
    `values of ${some.map(({ id }) => id).join()}`,
    (signal) => Promise.all(some.map((job) => whole(job, signal))),
    { isFinal: () => true },
  );
  // The rows stay while another page is read.
  const shown = useRef<(Job | undefined)[]>([]);
  shown.current = read.value ?? shown.current;
  const rows = shown.current
    .flatMap((job) => (job?.result?.type === 'extract' ? { job, result: job.result } : []))
    .toSorted((a, b) => byTitle(a.job, b.job))
    .map(({ job, result }) => ({ job, values: valuesOf(result) }));
  const [first] = rows;
  if (some.length === 0) return null;
  return (
    <section aria-labelledby="table">
      <h2 id="table">Table</h2>
      <Awaited of={{ ...read, value: first }} lines={3} />
      {first && (
        <Table
          label="Values of the files"
          kind="values-of-files"
          columns={['File', ...namesOf(first.values.single), ...namesOf(first.values.tables)]}
          texts={namesOf(first.values.single)}
        >
          {rows.map(({ job, values: { single, tables } }) => (
            <tr key={job.id}>
              <th scope="row">
                <a href={linkTo('jobs', job.id)}>{titleOf(job)}</a>
              </th>
              {single.map((value) => (
                <Cell key={value.path} value={value} />
              ))}
              {tables.map(({ path, rows: { length } }) => (
                <td key={path}>
                  {length} {length === 1 ? 'row' : 'rows'}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
      <p class="note">
        {folder.drive_result_file_id
          ? `The whole is on the drive, in the folder: ${titleOf(folder)}.extract.csv, and as JSON Lines.`
          : 'With "table": true in its extract, a job writes the whole to the folder on the drive too.'}
      </p>
    </section>
  );
}

function Cell({ value }: { value: Value }) {
  const standing = standingOf(value);
  return (
    <td class="text">
      {textOf(value.value)}
      {standing === 'not found' && <small class="problem"> not found</small>}
    </td>
  );
}

const namesOf = (values: readonly { name: string }[]) => values.map(({ name }) => name);
