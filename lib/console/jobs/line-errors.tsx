import type { Batch } from '../../../shared/jobs/kinds/batch/batch.ts';
import { useLive } from '../api/live.ts';
import { type FileObject, firstLines } from '../files/file.ts';
import { Failed } from '../parts/failed.tsx';
import { Table } from '../parts/table.tsx';

/** An error of a line. */
interface LineError {
  /** The line's number in the file of requests; none for what is wrong with the file. */
  line: string;
  /** The name of the line's request. */
  name: string;
  code: string;
  message: string;
}

/** The most errors that are shown, and what of the file is read for them: a line is seldom longer than 2 KB. */
const maxErrors = 20;
const readBytes = 64 * 2 ** 10;

/** The first errors of a batch's lines: the errors that failed the batch, or its error file's. */
export function LineErrors({ batch, file }: { batch: Batch; file: FileObject | undefined }) {
  const wrong = (batch.errors?.data ?? []).map(
    ({ line, param, code, message }): LineError => ({
      line: line === null ? '' : `${line}`,
      name: param ?? '',
      code,
      message,
    }),
  );
  if (wrong.length > 0) return <Errors errors={wrong} total={wrong.length} nameOf="Field" />;
  return file ? <InFile file={file} failed={batch.request_counts.failed} /> : null;
}

function InFile({ file, failed }: { file: FileObject; failed: number }) {
  const lines = useLive(`errors in ${file.id}`, (signal) => firstLines(file, readBytes, signal), {
    isFinal: () => true,
  });
  const errors = (lines.value ?? []).slice(0, maxErrors).map(errorIn);
  return (
    <>
      {errors.length > 0 && <Errors errors={errors} total={failed} nameOf="custom_id" />}
      <Failed error={lines.failure} retry={lines.reload} />
    </>
  );
}

/** Reads a line of an error file: its request was refused, or it was never asked. */
function errorIn(text: string): LineError {
  const { id, custom_id, response, error } = JSON.parse(text) as {
    id: string;
    custom_id: string | null;
    response: { status_code: number; body: { error?: { code?: string; message?: string } } } | null;
    error: { code: string; message: string } | null;
  };
  const said = error ?? response?.body.error;
  return {
    line: id.match(/_(\d+)$/)?.[1] ?? '',
    name: custom_id ?? '',
    code: said?.code ?? `${response?.status_code ?? ''}`,
    message: said?.message ?? '',
  };
}

function Errors({
  errors,
  total,
  nameOf,
}: {
  errors: LineError[];
  total: number;
  /** What the names of the errors are. */
  nameOf: string;
}) {
  return (
    <section aria-labelledby="line-errors">
      <h2 id="line-errors">Errors by line</h2>
      <Table
        label="Lines that failed, the first first"
        kind="line-errors"
        columns={['Line', nameOf, 'Error']}
        texts={[nameOf, 'Error']}
      >
        {errors.map((error, at) => (
          <tr key={at}>
            <th scope="row">{error.line || 'The file'}</th>
            <td class="text">{error.name}</td>
            <td class="text">
              <code>{error.code}</code> {error.message}
            </td>
          </tr>
        ))}
      </Table>
      {total > errors.length && (
        <p class="note">
          The first {errors.length} of {total}; the file has the others.
        </p>
      )}
    </section>
  );
}
