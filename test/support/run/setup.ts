import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDynamoDb } from '../../../lib/local/dynamodb/dynoxide.ts';
import { secretKeyEnvironment } from '../../../lib/local/engines/client-config.ts';
import { startEngineThread } from '../../../lib/local/engines/engine.ts';
import { lockFolder } from '../../../lib/local/stage/start-stage.ts';
import {
  deleteOtherAssemblies,
  synthesizeOnce,
} from '../../../lib/local/template/kept-assembly.ts';
import type { StageSettings } from '../../../lib/local/template/synthesize.ts';
import { chatStageEnv, newDataDir, startTestStage } from '../servers/stage.ts';
import { synthesizeWithSlots } from './chat-slots.ts';
import { leaveMachineSettings } from './machine-environment.ts';
import type { Shared } from './shared.ts';

/**
 * Serves what all test files of a run share. Each part is made when the first file asks for it, so that a run of
 * a few files makes only what they need.
 */
export default async function setup() {
  leaveMachineSettings();
  Object.assign(process.env, secretKeyEnvironment);
  const closers: (() => unknown)[] = [];
  const newFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-assembly-'));
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };
  const keptFolder = lockedFolder(closers) ?? newFolder();
  /** Takes the assembly of the last run if no source has changed since. */
  const kept = async (name: string, settings: StageSettings) => {
    const folder = join(keptFolder, name);
    const assembly = await synthesizeOnce(folder, settings);
    deleteOtherAssemblies(folder, assembly);
    return assembly.assetsDir;
  };
  // With all alarms, each of which has its section of the runbook.
  const context = { 'quire:alarms': 'all' };
  const parts: { [Name in keyof Shared]: () => Promise<Shared[Name]> } = {
    unbundled: () => kept('unbundled', { context: { ...context, unbundled: true } }),
    assembly: () => kept('assembly', { context }),
    chatAssembly: () =>
      synthesizeWithSlots(keptFolder, (settings) => kept('chat-assembly', settings)),

    async engines() {
      const [dynamodb, queues] = await Promise.all([
        startDynamoDb(undefined, (reason) => {
          throw new Error(reason);
        }),
        startEngineThread(fauxqsThread, {}),
      ]);
      closers.push(() => Promise.all([dynamodb.close(), queues.close()]));
      return { dynamodbUrl: dynamodb.url, queuesUrl: queues.url };
    },

    async stage() {
      const dataDir = newDataDir();
      // A drive without the samples, which take seconds to read.
      mkdirSync(join(dataDir, 'drive'));
      const stage = await startTestStage({ memory: true, dataDir });
      closers.push(() => stage.close());
      const { base_url, api_key } = stage;
      return { base_url, api_key, dataDir };
    },

    async chatStage() {
      const stage = await startTestStage({ memory: true, env: await chatStageEnv() });
      closers.push(() => stage.close());
      const { base_url, api_key, dataDir, dynamodb_url, secrets_url, drive_url } = stage;
      const { secret_access_key, outputs } = stage;
      const urls = { base_url, dynamodb_url, secrets_url, drive_url };
      return { ...urls, api_key, dataDir, secret_access_key, outputs };
    },
  };

  const made = new Map<string, Promise<unknown>>();
  const claimed = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').slice(1);
    if (path.startsWith('claim/')) {
      const number = (claimed.get(path) ?? 0) + 1;
      claimed.set(path, number);
      response.end(String(number));
      return;
    }
    const name = path as keyof Shared;
    const part = made.get(name) ?? parts[name]();
    made.set(name, part);
    try {
      response.end(JSON.stringify(await part));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.env['QUIRE_TEST_RUN'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return async () => {
    server.close();
    await Promise.allSettled(made.values());
    await Promise.all(closers.map((close) => close()));
  };
}

const assemblies = fileURLToPath(
  new URL('../../../node_modules/.cache/quire-assemblies', import.meta.url),
);

/** Returns the folder that keeps assemblies from run to run; none while another run has it. */
function lockedFolder(closers: (() => unknown)[]): string | undefined {
  try {
    const folder = lockFolder(assemblies);
    closers.push(() => folder.close());
    return assemblies;
  } catch {
    return undefined;
  }
}

const fauxqsThread = new URL('../../../lib/local/queues/fauxqs-thread.ts', import.meta.url);
