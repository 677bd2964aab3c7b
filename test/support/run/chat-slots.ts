import { createHash } from 'node:crypto';
import type { StageSettings } from '../../../lib/local/template/synthesize.ts';
import { freePorts } from '../servers/free-ports.ts';
import { writeCatalogue } from '../servers/test-catalogue.ts';
import type { Shared } from './shared.ts';

/** The origins whose pages may call a stage with the test models. */
export const allowedOrigins = ['https://app.example.com', 'http://localhost:5173'];

/** How long a page may take to be drawn on a stage with the test models. */
const pageSeconds = 8;

/** More than there are test files that chat. */
const slotCount = 60;

/**
 * Has the service synthesized with a catalogue of test models, in slots: a test file that claims a slot starts the
 * upstreams of its models. The catalogue is written into a folder, which has its place among the ports.
 */
export async function synthesizeWithSlots(
  folder: string,
  synthesize: (settings: StageSettings) => Promise<string>,
): Promise<Shared['chatAssembly']> {
  const position = createHash('sha256').update(folder).digest().readUInt32BE() / 2 ** 32;
  const [closedPort = 0, ...ports] = await freePorts(1 + slotCount, position);
  const slots = ports.map((port, index) => ({ suffix: index === 0 ? '' : `-s${index}`, port }));
  const catalogue = writeCatalogue(folder, slots, closedPort);
  const context = { 'quire:corsOrigins': allowedOrigins, 'quire:documentPageSeconds': pageSeconds };
  return { assembly: await synthesize({ catalogue, context, bundles: true }), slots };
}
