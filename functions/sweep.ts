import { sweepFiles } from '../shared/files/sweep-files.ts';
import { sweepStanding } from '../shared/jobs/batches/upstream/sweep-standing.ts';
import { sweepErasures } from '../shared/jobs/erase/sweep-erasures.ts';
import { sweepJobs } from '../shared/jobs/sweep.ts';
import { sweepAlone } from '../shared/jobs/sweep-alone.ts';
import { recountJobs } from '../shared/jobs/waiting/recount.ts';
import { sweepLedger } from '../shared/ledger/audit.ts';
import { sweepEvents } from '../shared/webhooks/sweep.ts';

/** Runs each minute, unless the sweep of the minute before is still at work. */
export const handler = async () => {
  await sweepAlone(async (shards) => {
    const sweeps = await Promise.allSettled([
      sweepJobs(shards),
      sweepLedger(),
      sweepStanding(),
      recountJobs(shards),
      sweepEvents(),
      sweepErasures(),
      sweepFiles(),
    ]);
    const failed = sweeps.find((sweep) => sweep.status === 'rejected');
    if (failed) throw failed.reason;
  });
};
