import type { TransactWriteItem } from '../../../aws/transact.ts';
import { type Answer, ask } from '../../../chat/ask.ts';
import type { ModelCall } from '../../../chat/hold-call.ts';
import type { Kept, Products } from '../../../ledger/settle.ts';
import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import type { ClaimedJob, Job } from '../../engine/item/job.ts';
import { completionWrite } from '../../engine/item/job-end.ts';
import { isFirstRun } from '../../engine/item/job-lease.ts';
import { findStep, stepWrite } from '../../engine/item/steps.ts';
import type { EndedJob } from '../../engine/run/run-job.ts';
import { beginStep } from '../../engine/run/watch.ts';
import { inlineResult } from '../../results/keep-result.ts';
import type { ChatResult } from '../../results/result.ts';

/** Returns what a chat job's result says of an answer. */
export const chatResultOf = ({ cost, ...answer }: Answer): ChatResult => ({
  type: 'chat',
  ...answer,
  cost_usd: toUsd(cost),
});

/** Adds up what answers have used and cost. */
export function sumOf(answers: readonly Answer[]): Pick<Answer, 'usage' | 'cost'> {
  const sum = (of: (answer: Answer) => number) =>
    answers.reduce((total, answer) => total + of(answer), 0);
  return {
    usage: {
      prompt_tokens: sum(({ usage }) => usage.prompt_tokens),
      completion_tokens: sum(({ usage }) => usage.completion_tokens),
      total_tokens: sum(({ usage }) => usage.total_tokens),
    },
    cost: sum(({ cost }) => cost),
  };
}

/** Asks a model once for a named step; if the step is there, it makes no call. `onNew` is called for a new answer. */
export async function askOnce(
  job: ClaimedJob,
  name: string,
  call: ModelCall,
  onNew?: () => void,
): Promise<Answer> {
  const { kept, answer } = await askAndKeep(job, name, call, (step) => ({ writes: [step] }));
  if (kept) onNew?.();
  return answer;
}

/**
 * Asks a model for the whole result of a chat job. On its first run a short answer ends the job in the transaction
 * that charges it. Otherwise, or if the job was stopped or taken over, the answer is kept as the step `name`.
 */
export async function askToEnd(
  job: ClaimedJob,
  name: string,
  call: ModelCall,
): Promise<ChatResult | EndedJob> {
  let ended: Job | undefined;
  const { kept, answer } = await askAndKeep(job, name, call, (step, answer) => {
    const result = isFirstRun(job) && inlineResult(chatResultOf(answer));
    if (!result) return { writes: [step] };
    const { write, done } = completionWrite(job, result);
    ended = done;
    return { writes: [write], fallback: [step] };
  });
  return ended && kept === 'writes' ? { ended } : chatResultOf(answer);
}

/** Asks as `askOnce` does. `productsOf` says which writes keep the answer. */
async function askAndKeep(
  job: ClaimedJob,
  name: string,
  call: ModelCall,
  productsOf: (step: TransactWriteItem, answer: Answer) => Products,
): Promise<{ kept: Kept; answer: Answer }> {
  const known = isFirstRun(job) ? undefined : await findStep<Answer>(job, name);
  if (known) return { kept: undefined, answer: known };
  await beginStep(job);
  const { kept, ...answer } = await ask(call, async (answer) =>
    productsOf(await stepWrite(job, name, answer), answer),
  );
  return { kept, answer: (kept ? undefined : await findStep<Answer>(job, name)) ?? answer };
}
