import { sweepJobs } from '../shared/jobs/sweep.ts';
import { sweepLedger } from '../shared/ledger/audit.ts';

/** Runs each minute. */
export const handler = async () => {
  const sweeps = await Promise.allSettled([sweepJobs(), sweepLedger()]);
  const failed = sweeps.find((sweep) => sweep.status === 'rejected');
  if (failed) throw failed.reason;
};
