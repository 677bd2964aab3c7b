import './catalogue-faults.ts';

import { readFileSync } from 'node:fs';
import { App, Validations } from 'aws-cdk-lib';
import { checkReplacements } from '../lib/stack/lasting-resources.ts';
import { ServiceStack } from '../lib/stack/service-stack.ts';
import { readSettings } from '../lib/stack/settings/settings.ts';
import { refuseWithoutTextract } from '../lib/stack/settings/textract-regions.ts';
import { gatewayErrors } from '../shared/http/gateway-errors.ts';
import { catalogue } from '../shared/models/catalogue.ts';
import { withOwnModels } from '../shared/models/own-models.ts';

const app = new App({ autoSynth: false });
try {
  // CDK_VALIDATION is the CDK's own switch for checks of the template. cdk-nag takes a sixth of a synthesis without bundles.
  if (process.env['CDK_VALIDATION'] !== 'false') {
    const { AwsSolutionsChecks } = await import('cdk-nag');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  }
  const settings = readSettings(app.node);
  // The CDK's command sets it to the region that it would deploy to.
  if (!settings.anyRegion) refuseWithoutTextract(process.env['CDK_DEFAULT_REGION']);
  const { artifactId } = new ServiceStack(app, `quire-${settings.stageName}`, {
    settings,
    catalogue: withOwnModels(catalogue, { ...settings, url: settings.modelsUrl }),
    gatewayErrors,
    description: 'Quire: batch OCR and chat jobs, streaming chat, exact metering per API key',
  });
  const { template } = app.synth().getStackArtifact(artifactId);
  // The template that `npm run deploy` found deployed.
  const file = process.env['QUIRE_DEPLOYED_TEMPLATE'];
  const deployed = file ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  checkReplacements(template, settings.acceptReplacements, { deployed });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
