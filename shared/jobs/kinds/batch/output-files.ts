import { deleteFile } from '../../../files/delete-file.ts';
import { childIdOf, type JobKey } from '../../engine/item/job.ts';

/** The files of a batch's results. Errors first: if a worker is lost between, a line may be in both, never in none. */
export const outputs = ['error', 'output'] as const;
export type Output = (typeof outputs)[number];

/** The id of a file of a batch's: always the same, so that a worker that takes over makes no second one. */
export const outputIdOf = (jobId: string, output: Output) =>
  `file-${childIdOf(jobId, `${output}_file`).replace(/^job_|-/g, '')}`;

/** Deletes the files of a batch's results; to delete what isn't there does nothing. */
export async function deleteOutputs({ key_id, job_id }: JobKey): Promise<void> {
  for (const output of outputs) await deleteFile(key_id, outputIdOf(job_id, output));
}
