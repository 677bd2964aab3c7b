import { runOcrJob } from '../shared/jobs/kinds/ocr-queue.ts';
import { jobWorker } from '../shared/jobs/work/worker.ts';

/** Reads the OCR queue. */
export const handler = jobWorker(runOcrJob);
