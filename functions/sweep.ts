import { sweepJobs } from '../shared/jobs/sweep.ts';
import { sweepLedger } from '../shared/ledger/audit.ts';

/** Runs each minute. */
export const handler = async () => {
  await Promise.all([sweepJobs(), sweepLedger()]);
};
