import { shardsOf } from '../shared/jobs/lane.ts';
import { sweepJobs } from '../shared/jobs/sweep.ts';
import { resetImageWindows } from '../shared/ledger/images.ts';
import { log } from '../shared/log.ts';

/** Runs each hour: empties the windows that are over, and wakes the jobs that waited for that. */
export const handler = async () => {
  const windows = await resetImageWindows();
  if (windows > 0) log('info', 'image windows reset', { windows });
  await sweepJobs(shardsOf('ocr'));
};
