import { createReadStream } from 'node:fs';
import { createFile } from '../../files/create-file.ts';
import { deleteFile } from '../../files/delete-file.ts';
import { childIdOf, type Job, type JobKey } from '../job.ts';
import { batchIdOf } from './batch-job.ts';

/**
 * The files that a batch's results are put into: what went wrong, and the answers. In this order, as a worker may be lost
 * between the two: a line that was answered meanwhile is then in both, and never in neither.
 */
const outputs = ['error', 'output'] as const;
type Output = (typeof outputs)[number];

/** The id of a file of a batch's: always the same, so that a worker that takes over makes no second one. */
const fileIdOf = (jobId: string, output: Output) =>
  `file-${childIdOf(jobId, `${output}_file`).replace(/^job_|-/g, '')}`;

/** Where the results of a batch's lines are on this machine; of either kind there may be none. */
export type OutputPaths = Partial<Record<Output, string>>;

/** Makes files of the key's of a batch's results. Returns the attributes that name them. */
export async function keepOutputs(
  job: Pick<Job, 'key_id' | 'job_id' | 'output_expires_after'>,
  paths: OutputPaths,
): Promise<Pick<Job, 'output_file_id' | 'error_file_id'>> {
  const kept: Pick<Job, 'output_file_id' | 'error_file_id'> = {};
  for (const output of outputs) {
    const path = paths[output];
    if (!path) continue;
    const file = {
      id: fileIdOf(job.job_id, output),
      filename: `${batchIdOf(job.job_id)}_${output}.jsonl`,
      purpose: 'batch_output' as const,
      expiresAfterSeconds: job.output_expires_after,
    };
    const { entry } = await createFile(job.key_id, file, createReadStream(path));
    kept[`${output}_file_id`] = entry;
  }
  return kept;
}

/** Deletes the files of a batch's results; to delete what isn't there does nothing. */
export async function deleteOutputs({ key_id, job_id }: JobKey): Promise<void> {
  for (const output of outputs) await deleteFile(key_id, fileIdOf(job_id, output));
}
