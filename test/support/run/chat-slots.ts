import { synthesize } from '../../../lib/local/template/synthesize.ts';
import { freePorts } from '../servers/free-ports.ts';
import { writeCatalogue } from '../servers/test-catalogue.ts';
import type { Shared } from './shared.ts';

/** The origins whose pages may call a stage with the test models. */
export const allowedOrigins = ['https://app.example.com', 'http://localhost:5173'];

/** How long a page may take to be drawn on a stage with the test models. */
const pageSeconds = 8;

/** More than there are test files that chat. */
const slotCount = 20;

/**
 * Synthesizes the service into a folder with a catalogue of test models, in slots: a test file that claims a slot
 * starts the upstreams of its models.
 */
export async function synthesizeWithSlots(outDir: string): Promise<Shared['chatAssembly']> {
  const [closedPort = 0, ...ports] = await freePorts(1 + slotCount);
  const slots = ports.map((port, index) => ({ suffix: index === 0 ? '' : `-s${index}`, port }));
  // Only the run's other assembly is validated: that takes half of a synthesis.
  const env = {
    QUIRE_CATALOGUE: writeCatalogue(outDir, slots, closedPort),
    CDK_VALIDATION: 'false',
  };
  Object.assign(process.env, env);
  const context = { 'quire:corsOrigins': allowedOrigins, 'quire:documentPageSeconds': pageSeconds };
  const synthesis = synthesize(outDir, { context });
  for (const name of Object.keys(env)) delete process.env[name];
  return { assembly: (await synthesis).assetsDir, slots };
}
