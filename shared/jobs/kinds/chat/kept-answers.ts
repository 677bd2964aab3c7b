import type { Answer } from '../../../chat/ask.ts';
import type { Claimed } from '../../engine/item/job.ts';
import { completeJob } from '../../engine/item/job-end.ts';
import { stepsBetween } from '../../engine/item/steps.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import type { ChatResult, JobResult } from '../../results/result.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { keptLines } from '../requests/end-requests.ts';
import { chatResultOf, sumOf } from './ask.ts';

/** Ends a stopped chat job with the answers that were paid for by then. */
export async function keptAnswers(job: Claimed<SourceJob>): Promise<JobResult | RunEnd> {
  if (job.source_kind === 'jsonl') return keptLines(job);
  const answers: (Answer & { name: string })[] = [];
  for await (const { name, value } of stepsBetween<Answer>(job, 'chat', 'chat_~')) {
    answers.push({ name, ...value });
  }
  return answers.length > 0 ? resultOf(answers) : () => completeJob(job);
}

/** The answer, if there was only one; else the answers about the document's parts, one after another. */
function resultOf(answers: (Answer & { name: string })[]): ChatResult {
  const inOrder = answers.toSorted((a, b) => order.compare(a.name, b.name));
  const [only] = answers;
  return chatResultOf({
    content: inOrder.map(({ content }) => content ?? '').join('\n\n'),
    finish_reason: answers.length === 1 && only ? only.finish_reason : 'stopped',
    ...sumOf(answers),
  });
}

/** Part 10 comes after part 9. */
const order = new Intl.Collator('en', { numeric: true });
