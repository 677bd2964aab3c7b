import { App } from 'aws-cdk-lib';
import { ServiceStack } from '../lib/service-stack.ts';
import { readSettings } from '../lib/settings.ts';
import { gatewayErrors } from '../shared/http/gateway-errors.ts';
import { catalogue } from '../shared/models/catalogue.ts';
import { withOwnModels } from '../shared/models/own-models.ts';

const app = new App({ autoSynth: false });
try {
  const settings = readSettings(app.node);
  new ServiceStack(app, `quire-${settings.stageName}`, {
    settings,
    catalogue: withOwnModels(catalogue, { models: settings.models, url: settings.modelsUrl }),
    gatewayErrors,
    description: 'Quire: batch OCR and chat jobs, streaming chat, exact metering per API key',
  });
  app.synth();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
