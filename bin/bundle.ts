import './catalogue-faults.ts';

import { readFileSync } from 'node:fs';
import { bundleFunctions } from '../lib/bundles.ts';
import { catalogue } from '../shared/models/catalogue.ts';
import { type OwnModels, withOwnModels } from '../shared/models/own-models.ts';

const [outDir = '', modelsJson = '', ...names] = process.argv.slice(2);
/** The models that the stage was given. */
const models: OwnModels = JSON.parse(modelsJson);

const cdk = new URL('../cdk.json', import.meta.url);

// Bundles the functions as the CDK app does, into the folder that the local stage names.
try {
  const { context } = JSON.parse(readFileSync(cdk, 'utf8'));
  bundleFunctions(
    outDir,
    withOwnModels(catalogue, models),
    context['quire:secrets'],
    // Without names, all functions are bundled.
    names.length > 0 ? names : undefined,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
