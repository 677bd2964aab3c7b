import { createReadStream } from 'node:fs';
import { createFile } from '../../../files/create-file.ts';
import { batchIdOf } from './batch-id.ts';
import type { BatchJob } from './batch-job.ts';
import { type Output, outputIdOf, outputs } from './output-files.ts';

/** Where the results of a batch's lines are on this machine; of either kind there may be none. */
type OutputPaths = Partial<Record<Output, string>>;

/** Makes files of the key's of a batch's results. Returns the attributes that name them. */
export async function keepOutputs(
  job: Pick<BatchJob, 'key_id' | 'job_id' | 'output_expires_after'>,
  paths: OutputPaths,
): Promise<Pick<BatchJob, 'output_file_id' | 'error_file_id'>> {
  const kept: Pick<BatchJob, 'output_file_id' | 'error_file_id'> = {};
  for (const output of outputs) {
    const path = paths[output];
    if (!path) continue;
    const file = {
      id: outputIdOf(job.job_id, output),
      filename: `${batchIdOf(job.job_id)}_${output}.jsonl`,
      purpose: 'batch_output' as const,
      expiresAfterSeconds: job.output_expires_after,
    };
    const { entry } = await createFile(job.key_id, file, createReadStream(path));
    kept[`${output}_file_id`] = entry;
  }
  return kept;
}
