import { runOcrJob } from '../shared/jobs/run-ocr.ts';
import { jobWorker } from '../shared/jobs/worker.ts';

/** Reads the OCR queue. */
export const handler = jobWorker(runOcrJob);
