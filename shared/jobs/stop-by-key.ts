import { type ApiKey, stateOf } from '../keys/key.ts';
import type { Job } from './job.ts';
import { modelsOf } from './step-models.ts';

/**
 * Returns why a job's key stops it: it was revoked, has expired, or may no longer use a model that the job would be
 * refused for if it were submitted now. Undefined if the job may go on.
 */
export function stopByKey(key: ApiKey, job: Job): string | undefined {
  const state = stateOf(key);
  if (state === 'revoked') return 'key_revoked: The API key of the job was revoked.';
  if (state === 'expired') return 'key_expired: The API key of the job has expired.';
  const denied = key.models && modelsOf(askedOf(job)).find((id) => !key.models?.includes(id));
  return denied ? `model_denied: The API key of the job may no longer use ${denied}.` : undefined;
}

/** What decides which models a job runs on, as it was submitted; a pipeline's chat step has its model alone. */
const askedOf = ({ job_type, model, asked_model, pipeline }: Job) => ({
  job_type,
  model: job_type === 'chat' ? model : (asked_model ?? null),
  pipeline: pipeline ?? null,
});
