import { setTimeout } from 'node:timers/promises';

const maxPauseMs = 100;

/** Asks again and again, after longer and longer pauses, until the answer is the one that is awaited. */
export async function poll<Answer>(
  ask: () => Answer | Promise<Answer>,
  isAwaited: (answer: Answer) => boolean,
): Promise<Answer> {
  for (let pauseMs = 10; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.4)) {
    const answer = await ask();
    if (isAwaited(answer)) return answer;
    await setTimeout(pauseMs);
  }
}
