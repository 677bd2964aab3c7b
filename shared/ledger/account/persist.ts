import { setTimeout } from 'node:timers/promises';
import { fullJitterMs } from '../../jitter.ts';

/** How long the writes that end a call are tried: many calls of one key wait their turn for its partition. */
export const longestWriteMs = 5 * 60_000;

/** How long a caller waits for such a write that a queue takes up where it fails. */
export const patienceMs = 20_000;

const firstSpanMs = 100;
const longestSpanMs = 5_000;

/** Makes a write, again while its time lasts and `mayRepeat` allows: the client's own tries are over in half a second. */
export async function persist<Output>(
  write: () => Promise<Output>,
  mayRepeat: (error: unknown) => boolean,
  forMs: number,
): Promise<Output> {
  const untilMs = performance.now() + forMs;
  for (let retries = 0; ; retries += 1) {
    try {
      return await write();
    } catch (error) {
      const pauseMs = fullJitterMs(firstSpanMs, retries, longestSpanMs);
      if (!mayRepeat(error) || performance.now() + pauseMs > untilMs) throw error;
      await setTimeout(pauseMs);
    }
  }
}
