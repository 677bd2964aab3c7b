import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynamoDb } from '../../../lib/local/dynamodb/dynoxide.ts';
import { startEngineThread } from '../../../lib/local/engines/engine.ts';
import { synthesize } from '../../../lib/local/template/synthesize.ts';
import { startSharedChatStage } from '../servers/chat-slots.ts';
import { startTestStage } from '../servers/stage.ts';
import type { Shared } from './shared.ts';

/**
 * Serves what all test files of a run share. Each part is made when the first file asks for it, so that a run of
 * a few files makes only what they need.
 */
export default async function setup() {
  const closers: (() => unknown)[] = [];
  const parts: { [Name in keyof Shared]: () => Promise<Shared[Name]> } = {
    async assembly() {
      const outDir = mkdtempSync(join(tmpdir(), 'quire-assembly-'));
      closers.push(() => rmSync(outDir, { recursive: true, force: true }));
      return (await synthesize(outDir)).assetsDir;
    },

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
      const stage = await startTestStage({ memory: true });
      closers.push(() => stage.close());
      const { base_url, api_key, dataDir } = stage;
      return { base_url, api_key, dataDir };
    },

    async chatStage() {
      const { stage, slots } = await startSharedChatStage();
      closers.push(() => stage.close());
      const { base_url, api_key, dataDir, dynamodb_url, outputs } = stage;
      return { stage: { base_url, api_key, dataDir, dynamodb_url, outputs }, slots };
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

const fauxqsThread = new URL('../../../lib/local/queues/fauxqs-thread.ts', import.meta.url);
