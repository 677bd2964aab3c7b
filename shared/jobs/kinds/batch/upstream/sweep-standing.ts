import { endStanding } from '../../../../ledger/settle-standing.ts';
import { lookLater, standingIdIn, standingToLookAt } from '../../../../ledger/standing-hold.ts';
import { log } from '../../../../log.ts';
import { findJob } from '../../../engine/item/job.ts';

/** Gives back the holds of jobs that ended without it, as their worker was lost. Each is looked at every hour. */
export async function sweepStanding(): Promise<void> {
  for await (const standing of standingToLookAt()) {
    const { key_id, entry, job_id } = standing;
    const job = await findJob({ key_id, job_id });
    if (job && !job.completed_at) await lookLater(standing);
    else if (await endStanding(key_id, standingIdIn(entry))) {
      log('warn', 'standing hold given back', { key_id, job_id });
    }
  }
}
