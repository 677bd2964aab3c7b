import type { ModelCall } from '../../chat/hold-call.ts';
import type { Model } from '../../models/catalogue.ts';
import { callersJobIdOf, type Job } from '../engine/item/job.ts';

/** The use that a job makes of a model. */
type Use = 'chat' | 'embeddings' | 'ocr' | 'pipeline' | 'extract';

/** Returns the subject of a job's charge. Its use counts under two tags: `batch`, and `batch:` with the use. */
export const chargeSubjectOf = (job: Job, use: Use): ModelCall['subject'] => ({
  tags: ['batch', `batch:${use}`],
  job_id: callersJobIdOf(job),
  ...(job.metadata && { metadata: job.metadata }),
});

/** Returns the call by which a job asks a model about messages. */
export const callOf = (
  job: Job,
  use: Use,
  model: Model,
  messages: unknown[],
  signal: AbortSignal,
) => ({
  keyId: job.key_id,
  model,
  body: { model: model.id, messages },
  subject: chargeSubjectOf(job, use),
  isLimitable: false,
  signal,
});
