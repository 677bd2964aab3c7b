import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { markSource, reserveFileId, writeResult } from '../drive/result.ts';
import { ServiceError } from '../http/errors.ts';
import type { ClaimedJob } from './job.ts';
import { updateJob, whileLeased } from './job-update.ts';
import { describe, isPermanent } from './lease.ts';

/** What is to lie beside a job's source on the drive: a text, or a file on disk. */
export interface Deliverable {
  suffix: '.ocr.md' | '.result.md' | '.result.jsonl';
  mimeType: string;
  text?: string;
  path?: string;
}

/** Under which id it was written, or why the drive would not take it. */
export interface Delivery {
  file_id?: string | undefined;
  error?: string | undefined;
}

/**
 * Writes a job's result beside its source, under an id reserved on the job beforehand: a try after a
 * lost answer writes the same file. A drive that refuses it for good, or on the last try, doesn't cost the
 * job its result.
 */
export async function deliver(job: ClaimedJob, content: Deliverable): Promise<Delivery> {
  const { drive_file_id: sourceId, drive_folder_id: folderId, filename = 'document' } = job;
  if (!sourceId || !folderId) return {};
  try {
    const id = await reserve(job);
    const { suffix, mimeType } = content;
    await writeResult(
      { id, folderId, name: `${filename}${suffix}`, mimeType, sourceId },
      bodyOf(content),
    );
    await note(job, { drive_result_file_id: id });
    await markSource(sourceId, { quireJob: job.job_id, quireResult: id });
    return { file_id: id };
  } catch (error) {
    const isLastTry = job.retry_count >= job.max_retries;
    if (!(error instanceof ServiceError) || !(isPermanent(error) || isLastTry)) throw error;
    return { error: describe(error) };
  }
}

async function reserve(job: ClaimedJob): Promise<string> {
  if (job.reserved_file_id) return job.reserved_file_id;
  const reserved_file_id = await reserveFileId();
  await note(job, { reserved_file_id });
  return reserved_file_id;
}

async function note(job: ClaimedJob, set: Partial<ClaimedJob>): Promise<void> {
  const noted = await updateJob(job, { ...whileLeased(job), set });
  if (!noted) throw new Error('The lease was lost while the result was delivered');
}

function bodyOf({ text = '', path }: Deliverable) {
  return path
    ? { body: () => createReadStream(path), bytes: statSync(path).size }
    : { body: () => Readable.from([Buffer.from(text)]), bytes: Buffer.byteLength(text) };
}
