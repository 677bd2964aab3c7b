import pLimit from 'p-limit';
import { childrenOf } from './children.ts';
import type { Job } from './job.ts';
import { stopJob } from './state.ts';

/** Children that are stopped at once. */
const stopsAtOnce = 25;

/** Stops all that was made for a stopped job, for the same reason. */
export async function stopChildren(parent: Job): Promise<void> {
  const { stop_reason, children_total = 0 } = parent;
  if (!stop_reason || children_total === 0) return;
  const limit = pLimit(stopsAtOnce);
  const stops: Promise<void>[] = [];
  for await (const child of childrenOf(parent)) {
    if (child.completed_at) continue;
    stops.push(
      limit(async () => {
        const stopped = await stopJob(child, stop_reason);
        if (stopped) await stopChildren(stopped);
      }),
    );
  }
  await Promise.all(stops);
}
