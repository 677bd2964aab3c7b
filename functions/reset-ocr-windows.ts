import { shardsOf } from '../shared/jobs/engine/item/queue-shards.ts';
import { sweepJobs } from '../shared/jobs/work/sweep.ts';
import { resetOcrWindows } from '../shared/ledger/images-hour.ts';
import { log } from '../shared/log.ts';

/** Runs each hour: empties the windows that are over, and wakes the jobs that waited for that. */
export const handler = async () => {
  const windows = await resetOcrWindows();
  if (windows > 0) log('info', 'OCR windows reset', { windows });
  await sweepJobs(shardsOf('ocr'));
};
