import { StageError } from '../local/stage-error.ts';
import { CommandError } from './command-error.ts';

/** Says in one sentence what went wrong; undefined where only a stack trace helps. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof CommandError || error instanceof StageError) return error.message;
  if (!(error instanceof Error)) return undefined;
  return error.name === 'ServiceError' ? error.message : awsSentence(error);
}

function awsSentence(error: Error & { $metadata?: unknown }): string | undefined {
  const { name, message } = error;
  if (name === 'CredentialsProviderError') {
    return `No AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (${message}).`;
  }
  if (message === 'Region is missing') return 'No AWS region is set: set AWS_REGION.';
  return error.$metadata ? `The request to AWS failed: ${name}: ${message}` : undefined;
}
