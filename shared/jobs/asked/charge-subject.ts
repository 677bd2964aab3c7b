import type { ModelCall } from '../../chat/metered-call.ts';
import { callersJobIdOf, type Job } from '../engine/item/job.ts';

/** What a charge says of a job's call. Its use is counted under two tags: `batch`, and `batch:` with what the call is for. */
export const chargeSubjectOf = (
  job: Job,
  use: 'chat' | 'embeddings' | 'ocr' | 'pipeline' | 'extract',
): ModelCall['subject'] => ({
  tags: ['batch', `batch:${use}`],
  job_id: callersJobIdOf(job),
  ...(job.metadata && { metadata: job.metadata }),
});
