import { synthesize } from '../../../lib/local/template/synthesize.ts';
import { freePorts } from '../servers/free-ports.ts';
import { writeCatalogue } from '../servers/test-catalogue.ts';
import type { Shared } from './shared.ts';

/** More than there are test files that chat. */
const slotCount = 12;

/**
 * Synthesizes the service into a folder with a catalogue of test models, in slots: a test file that claims a slot
 * starts the upstreams of its models.
 */
export async function synthesizeWithSlots(outDir: string): Promise<Shared['chatAssembly']> {
  const [closedPort = 0, ...ports] = await freePorts(1 + slotCount);
  const slots = ports.map((port, index) => ({ suffix: index === 0 ? '' : `-s${index}`, port }));
  process.env['QUIRE_CATALOGUE'] = writeCatalogue(outDir, slots, closedPort);
  const synthesis = synthesize(outDir);
  delete process.env['QUIRE_CATALOGUE'];
  return { assembly: (await synthesis).assetsDir, slots };
}
