import { deleteFile } from '../../../files/delete-file.ts';
import { childIdOf, type JobKey } from '../../engine/item/job.ts';

/**
 * The files that a batch's results are put into: what went wrong, and the answers. In this order, as a worker may be lost
 * between the two: a line that was answered meanwhile is then in both, and never in neither.
 */
export const outputs = ['error', 'output'] as const;
export type Output = (typeof outputs)[number];

/** The id of a file of a batch's: always the same, so that a worker that takes over makes no second one. */
export const outputIdOf = (jobId: string, output: Output) =>
  `file-${childIdOf(jobId, `${output}_file`).replace(/^job_|-/g, '')}`;

/** Deletes the files of a batch's results; to delete what isn't there does nothing. */
export async function deleteOutputs({ key_id, job_id }: JobKey): Promise<void> {
  for (const output of outputs) await deleteFile(key_id, outputIdOf(job_id, output));
}
