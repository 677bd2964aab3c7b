import { jobWorker } from '../shared/jobs/engine/run/worker.ts';
import { runOcrJob } from '../shared/jobs/kinds/document/run-document.ts';

/** Reads the OCR queue. */
export const handler = jobWorker(runOcrJob);
