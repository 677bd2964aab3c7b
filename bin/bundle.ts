import { workerData } from 'node:worker_threads';
import { bundleFunctions } from '../lib/bundles.ts';
import { catalogue } from '../shared/models/catalogue.ts';

// Bundles the functions as the CDK app does, into the folder that the local stage gives this thread.
try {
  bundleFunctions(workerData as string, catalogue);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
