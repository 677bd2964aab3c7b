import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../engines/engine.ts';
import { StageError } from '../stage-error.ts';
import { type StreamTrimmer, startStreamTrimmer } from './stream-trimmer.ts';

/** A running DynamoDB. */
export interface DynamoDbEngine extends Engine {
  /** Forgets what the readers of its streams have passed; absent where the engine is not ours. */
  streams?: StreamTrimmer;
}

/**
 * Ties dynoxide's life to ours: its watcher reads a pipe that closes however this process ends, SIGKILL
 * included. The first argument is a folder to remove at the end, or empty. The shell may say of its child
 * that it was terminated, to an output that nobody reads any more: without the trap it would die of that.
 */
const watchedCommand = `trap '' PIPE; folder=$1; shift; "$@" </dev/null & engine=$!
  (cat >/dev/null; kill $engine 2>/dev/null) <&3 & wait $engine; [ -z "$folder" ] || rm -rf "$folder"`;

/** Starts dynoxide on a free port over a file; without one over a file that is gone when it stops. */
export async function startDynamoDb(
  file: string | undefined,
  onDeath: (reason: string) => void,
): Promise<DynamoDbEngine> {
  const elsewhere = process.env['AWS_ENDPOINT_URL_DYNAMODB'];
  if (elsewhere) return { url: elsewhere, close: async () => {} };

  const port = await freePort();
  const path = file ?? join(mkdtempSync(join(memoryFolder(), 'quire-')), 'dynamodb.db');
  const command = [binaryPath(), '--port', String(port), '--db-path', path];
  const temporary = file ? '' : dirname(path);
  const engine = spawn('/bin/sh', ['-c', watchedCommand, 'sh', temporary, ...command], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  await listening(engine);
  const streams = await startStreamTrimmer(path);
  let closing = false;
  const exited = new Promise<void>((resolve) => engine.once('exit', () => resolve()));
  engine.once('exit', () => {
    if (!closing) onDeath('The DynamoDB engine stopped by itself.');
  });
  return {
    url: `http://127.0.0.1:${port}`,
    streams,
    close: async () => {
      closing = true;
      await streams.close();
      engine.stdio[3]?.destroy();
      await exited;
    },
  };
}

const enoughBytes = 512 * 1024 * 1024;

/** Linux keeps files in memory here; a container may have given it next to nothing. */
function memoryFolder(): string {
  const folder = '/dev/shm';
  if (!existsSync(folder)) return tmpdir();
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= enoughBytes ? folder : tmpdir();
}

function binaryPath(): string {
  const advice =
    'run npm ci on Linux x64, or set AWS_ENDPOINT_URL_DYNAMODB to a DynamoDB of your own';
  try {
    const path = fileURLToPath(import.meta.resolve('@dynoxide/linux-x64/dynoxide'));
    if (existsSync(path)) return path;
  } catch (cause) {
    throw new StageError(`The DynamoDB engine dynoxide is not installed: ${advice}.`, { cause });
  }
  throw new StageError(`The DynamoDB engine's binary is missing: ${advice}.`);
}

function listening(engine: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    engine.stderr?.on('data', (chunk) => {
      said += chunk;
      if (said.includes('listening')) resolve();
    });
    engine.once('error', reject);
    engine.once('exit', () => {
      reject(new StageError(`The DynamoDB engine doesn't start: ${said.trim()}`));
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
