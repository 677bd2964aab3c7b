import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestStage, type TestStage } from './stage.ts';
import { type ModelSlot, providerKey, writeCatalogue } from './test-catalogue.ts';

/** More than there are test files that chat. */
const slotCount = 12;

/** Starts a stage that serves the models of several slots; a test file that claims one starts its upstreams. */
export async function startSharedChatStage(): Promise<{ stage: TestStage; slots: ModelSlot[] }> {
  const ports = await freePorts(slotCount);
  const slots = ports.map((port, index) => ({ suffix: index === 0 ? '' : `-s${index}`, port }));
  const folder = mkdtempSync(join(tmpdir(), 'quire-catalogue-'));
  const env = { OPENAI_API_KEY: providerKey, QUIRE_CATALOGUE: await writeCatalogue(folder, slots) };
  return { stage: await startTestStage({ memory: true, env }), slots };
}

/** Ports below those that the system gives to connections, so that they are still free when they are claimed. */
async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let port = 20_000 + Math.floor(Math.random() * 8_000); ports.length < count; port += 1) {
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
