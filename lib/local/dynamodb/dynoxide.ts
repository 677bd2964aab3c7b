import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Engine } from '../engines/engine.ts';
import { reachDirectly } from '../engines/no-proxy.ts';
import { StageError } from '../stage-error.ts';
import { urlFrom } from '../url-from.ts';
import { spawnWatched } from '../watched-process.ts';
import { startEntrance } from './entrance.ts';
import { findDynoxide } from './find-dynoxide.ts';
import { type LocalStreams, openStreams } from './streams.ts';

/** A running DynamoDB. Its `url` is for the stage's own threads alone. */
export interface DynamoDbEngine extends Engine {
  /** Where everybody else reaches it, with requests that are signed. */
  entranceUrl: string;
  /** Watches and trims its streams; absent if the engine is not the stage's own. */
  streams?: LocalStreams;
}

/**
 * Starts dynoxide over a file, or over one that is removed at its end; or takes `AWS_ENDPOINT_URL_DYNAMODB`. Throws
 * `StageError`.
 */
export async function startDynamoDb(
  file: string | undefined,
  onDeath: (reason: string) => void,
  onRestart: (what: string) => void = () => {},
): Promise<DynamoDbEngine> {
  const elsewhere = urlFrom('AWS_ENDPOINT_URL_DYNAMODB');
  if (elsewhere) return { url: elsewhere, entranceUrl: elsewhere, close: async () => {} };

  const host = hiddenAddress();
  reachDirectly([host]);
  const port = await freePort(host);
  const program = await findDynoxide();
  const path = file ?? join(mkdtempSync(join(memoryFolder(), 'quire-')), 'dynamodb.db');
  const command = [program, '--host', host, '--port', String(port), '--db-path', path];
  const temporary = file ? '' : dirname(path);
  const engine = spawnWatched(command, { temporary, restarts: true });
  await listening(engine);
  // Clients send requests without an answer again.
  engine.stderr?.on('data', (output) => {
    if (String(output).includes('listening')) onRestart('The DynamoDB engine was killed');
  });
  const streams = await openStreams(path, onDeath);
  let closing = false;
  const exited = new Promise<void>((resolve) => engine.once('exit', () => resolve()));
  engine.once('exit', () => {
    if (!closing) onDeath('The DynamoDB engine stopped by itself.');
  });
  const url = `http://${host}:${port}`;
  const entrance = await startEntrance(url);
  return {
    url,
    entranceUrl: entrance.url,
    streams,
    close: async () => {
      closing = true;
      await entrance.close();
      await streams.close();
      engine.stdio[3]?.destroy();
      await exited;
    },
  };
}

/**
 * Returns a loopback address that a web page can't guess, as dynoxide answers anybody and knows no other socket: on
 * Linux one of 127.0.0.0/8, 16 million with 22,000 ports each; elsewhere 127.0.0.1, and only the port is hidden.
 */
const hiddenAddress = () =>
  process.platform === 'linux'
    ? ['127', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.')
    : '127.0.0.1';

const minFreeBytes = 512 * 1024 * 1024;

/** Returns a folder that Linux keeps in memory; the one for temporary files if it is too small, as in containers. */
function memoryFolder(): string {
  const folder = '/dev/shm';
  if (!existsSync(folder)) return tmpdir();
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= minFreeBytes ? folder : tmpdir();
}

/** Waits until the engine says that it listens. Throws `StageError` with its output if it ends before. */
function listening(engine: ChildProcess): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    engine.stderr?.on('data', (chunk) => {
      output += chunk;
      if (output.includes('listening')) resolve();
    });
    engine.once('error', reject);
    engine.once('exit', () => {
      reject(new StageError(`The DynamoDB engine doesn't start: ${output.trim()}`));
    });
  });
}

/** Returns a free port that no system gives out by itself: another program could get it before the engine starts. */
function freePort(host: string): Promise<number> {
  const port = randomInt(10_240, 32_768);
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(freePort(host)));
    probe.listen(port, host, () => probe.close(() => resolve(port)));
  });
}
