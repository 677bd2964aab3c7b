import './catalogue-faults.ts';

import { readContext } from '../lib/local/template/synthesize.ts';
import { bundleFunctions } from '../lib/stack/bundles/bundles.ts';
import type { Settings } from '../lib/stack/settings/settings.ts';
import { catalogue } from '../shared/models/catalogue.ts';
import { type OwnModels, withOwnModels } from '../shared/models/own-models.ts';

interface Wanted {
  outDir: string;
  /** The models that the stage was given. */
  models: OwnModels;
}

const { outDir, models }: Wanted = JSON.parse(process.argv[2] ?? '');

// Bundles the functions as the CDK app does, into the folder that the local stage names.
try {
  bundleFunctions(
    outDir,
    withOwnModels(catalogue, models),
    readContext()['quire:secrets'] as Settings['secrets'] | undefined,
    true,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
