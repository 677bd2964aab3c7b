import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { bundleFunctions } from '../lib/bundles.ts';
import { catalogue } from '../shared/models/catalogue.ts';
import { type OwnModels, withOwnModels } from '../shared/models/own-models.ts';

/** The folder for the bundles, and the models that the stage was given. */
const { outDir, models } = workerData as { outDir: string; models: OwnModels };

const cdk = new URL('../cdk.json', import.meta.url);

// Bundles the functions as the CDK app does, into the folder that the local stage gives this thread.
try {
  const { context } = JSON.parse(readFileSync(cdk, 'utf8'));
  bundleFunctions(outDir, withOwnModels(catalogue, models), context['quire:secrets']);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
