import { toUsd } from '../ledger/nano-usd.ts';
import type { Answer } from './ask.ts';
import type { Job } from './job.ts';
import type { ChatResult } from './result.ts';

/** Where a job's use is counted: each charge under `batch` and one kind of it. */
export function tagsOf(
  { pipeline, document_object }: Pick<Job, 'pipeline' | 'document_object'>,
  does: 'chat' | 'ocr' = 'chat',
): string[] {
  return ['batch', `batch:${pipeline || document_object ? 'pipeline' : does}`];
}

/** What a chat job answers of what its model did. */
export const chatResultOf = ({ cost, ...answer }: Answer): ChatResult => ({
  type: 'chat',
  ...answer,
  cost_usd: toUsd(cost),
});
