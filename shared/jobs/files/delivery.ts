import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { markSource, reserveFileId, writeResult } from '../../drive/result.ts';
import { ServiceError } from '../../http/errors.ts';
import { isLast, jobErrorText } from '../failure.ts';
import type { ClaimedJob } from '../job.ts';
import { saveProgress } from '../state.ts';
import { resultName } from './result-name.ts';

/** A result to write to the drive: a text, or a file on disk. */
export interface Deliverable {
  suffix: '.ocr.md' | '.result.md' | '.result.jsonl';
  mimeType: string;
  text?: string;
  path?: string;
}

/** The id under which a result was written, or why the drive refused it; neither for a job without a source. */
export interface Delivery {
  file_id?: string | undefined;
  error?: string | undefined;
}

/**
 * Writes a job's result beside its source. The id is reserved on the job beforehand, so that a second try
 * writes the same file. If the drive refuses the result for good, or on the last try, the job keeps it.
 */
export async function deliver(job: ClaimedJob, content: Deliverable): Promise<Delivery> {
  const { drive_file_id: sourceId, drive_folder_id: folderId } = job;
  if (!sourceId || !folderId) return {};
  try {
    const id = await reserve(job);
    const { suffix, mimeType } = content;
    const name = await resultName(job, suffix);
    await writeResult({ id, folderId, name, mimeType, sourceId }, bodyOf(content));
    await saveProgress(job, { drive_result_file_id: id });
    await markSource(sourceId, { quireJob: job.job_id, quireResult: id });
    return { file_id: id };
  } catch (error) {
    if (!(error instanceof ServiceError) || !isLast(job, error)) throw error;
    return { error: jobErrorText(error) };
  }
}

async function reserve(job: ClaimedJob): Promise<string> {
  if (job.reserved_file_id) return job.reserved_file_id;
  const reserved_file_id = await reserveFileId();
  await saveProgress(job, { reserved_file_id });
  return reserved_file_id;
}

function bodyOf({ text = '', path }: Deliverable) {
  return path
    ? { body: () => createReadStream(path), bytes: statSync(path).size }
    : { body: () => Readable.from([Buffer.from(text)]), bytes: Buffer.byteLength(text) };
}
