import { writeResult } from '../../../drive/result.ts';
import { ServiceError } from '../../../http/errors.ts';
import { errorFields, log } from '../../../log.ts';
import { newTempDir } from '../../../temp-dir.ts';
import { madeFor } from '../../engine/children/children.ts';
import { and, type Condition, whileIn, whileThere } from '../../engine/item/conditions.ts';
import { familyOf, findJob, instant, type Job } from '../../engine/item/job.ts';
import { updateJob } from '../../engine/item/job-update.ts';
import { isPermanent, jobErrorText } from '../../engine/run/failure.ts';
import { runAll } from '../../engine/run/run-all.ts';
import { wholeExtract } from '../../results/keep-result.ts';
import { bodyOf, type Delivery, reserveTables, withSuffix } from '../../sources/delivery.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { specOfJob } from './extract-input.ts';
import { type ExtractedDocument, writeTables } from './tables.ts';

/** A folder's job, with the lease of its table's writer. */
export interface TableJob extends SourceJob {
  /** When its table was written last, and until when the worker that writes it has it to itself. */
  table_at?: string;
  table_until?: string;
}

/* A folder's table is rewritten every half minute while files end, and once at the end, by one worker at a time. */

/** How often a table is written while there are files to come. */
const writtenEveryMs = 30_000;
/** The upload must begin this soon, so that it is over before another may begin. */
const prepareMs = 90_000;
/** A writer that says nothing for so long is dead. */
const lockMs = 4 * 60_000;

/** Another worker writes the table of a folder just now. */
export class TableBusyError extends ServiceError {
  constructor() {
    super(503, 'table_busy', 'Another worker writes the table of the folder.');
  }
}

/** Writes the table of the folder that a job which has ended is a file of, unless it was written a moment ago. */
export async function refreshTable({ key_id, parent_job_id }: Job): Promise<void> {
  if (!parent_job_id) return;
  const folder = await findJob<TableJob>({ key_id, job_id: parent_job_id });
  if (folder?.input_type !== 'drive_folder' || !folder.extract?.table) return;
  const table_at = instant(Date.now() - writtenEveryMs);
  try {
    const mayWrite: Condition = (value) =>
      `(attribute_not_exists(table_at) OR table_at <= ${value(table_at)})`;
    const locked = await lockTable(folder, and(whileIn('processing'), mayWrite));
    if (locked) await writeLocked(locked);
  } catch (error) {
    // The next file that is done writes it, or the folder's own end.
    log('warn', 'table of a folder not written', { job_id: folder.job_id, ...errorFields(error) });
  }
}

/** Writes a finished folder's table. Returns its main file's id, or why the drive refuses it. Throws `TableBusyError`. */
export async function finishTable(folder: TableJob): Promise<Delivery> {
  const locked = await lockTable(folder, whileThere);
  if (!locked) throw new TableBusyError();
  try {
    return { drive_result_file_id: await writeLocked(locked) };
  } catch (error) {
    if (!(error instanceof ServiceError) || !isPermanent(error)) throw error;
    return { error: jobErrorText(error) };
  }
}

async function lockTable(folder: TableJob, condition: Condition): Promise<TableJob | undefined> {
  const now = Date.now();
  return updateJob<TableJob>(folder, {
    when: and(
      condition,
      (value) => `(attribute_not_exists(table_until) OR table_until <= ${value(instant(now))})`,
    ),
    set: { table_at: instant(now), table_until: instant(now + lockMs) },
  });
}

async function writeLocked(folder: TableJob): Promise<string> {
  try {
    return await writeTable(folder);
  } finally {
    await updateJob<TableJob>(folder, {
      when: and(whileThere, (value) => `table_until = ${value(folder.table_until)}`),
      remove: ['table_until'],
    });
  }
}

async function writeTable(folder: TableJob): Promise<string> {
  const { drive_folder_id: folderId = '', filename = 'folder' } = folder;
  const latestMs = Date.now() + prepareMs;
  await using directory = await newTempDir();
  const files = await writeTables(specOfJob(folder), documentsOf(folder), directory.path);
  const ids = await reserveTables(folder, files, (table_file_ids) =>
    updateJob<TableJob>(folder, { when: whileThere, set: { table_file_ids } }),
  );
  if (Date.now() > latestMs) throw new ServiceError(503, 'table_late', 'The table came too late.');
  for (const { suffix, mimeType, path } of files) {
    const name = withSuffix(filename, suffix);
    const id = ids[suffix] ?? '';
    await writeResult({ id, folderId, name, mimeType, sourceId: folderId }, bodyOf({ path }));
  }
  return ids[files[0]?.suffix ?? ''] ?? '';
}

const readAtOnce = 16;

/** Yields the files of a folder whose fields are there, by their names. */
async function* documentsOf(folder: TableJob): AsyncGenerator<ExtractedDocument> {
  const done: SourceJob[] = [];
  for await (const child of madeFor(folder, familyOf(folder.job_id))) {
    if (child.status === 'done') done.push(child);
  }
  done.sort((one, other) => byName.compare(one.filename ?? '', other.filename ?? ''));
  for (let start = 0; start < done.length; start += readAtOnce) {
    const some = done.slice(start, start + readAtOnce);
    const read = await runAll(
      some.map((job) => async () => ({ job, result: await wholeExtract(job) })),
      readAtOnce,
    );
    for (const { job, result } of read) {
      if (result?.type === 'extract') yield { job_id: job.job_id, job, result };
    }
  }
}

const byName = new Intl.Collator('en', { numeric: true });
