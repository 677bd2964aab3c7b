import { sweepFiles } from '../shared/files/sweep-files.ts';
import { sweepErasures } from '../shared/jobs/erase/sweep-erasures.ts';
import { sweepStanding } from '../shared/jobs/kinds/batch/upstream/sweep-standing.ts';
import { recountJobs } from '../shared/jobs/work/recount.ts';
import { sweepJobs } from '../shared/jobs/work/sweep.ts';
import { sweepAlone } from '../shared/jobs/work/sweep-alone.ts';
import { keepCeiling } from '../shared/ledger/ceiling.ts';
import { type SweepShare, sweepLedger } from '../shared/ledger/sweep.ts';
import { sweepEvents } from '../shared/webhooks/sweep.ts';

/**
 * Runs each minute unless the last sweep is still at work. Of several, each audits its lanes, and the first does all
 * else.
 */
export const handler = async ({ sweep = 0, of = 1 }: Partial<SweepShare>) => {
  await sweepAlone(sweep, async (shards) => {
    const sweeps = await Promise.allSettled([
      sweepLedger({ sweep, of }),
      ...(sweep === 0 ? sweepRest(shards) : []),
    ]);
    const failed = sweeps.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  });
};

const sweepRest = (shards: string[]) => [
  sweepJobs(shards),
  sweepStanding(),
  recountJobs(shards),
  sweepEvents(),
  sweepErasures(),
  sweepFiles(),
  keepCeiling(),
];
