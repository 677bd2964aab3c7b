import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { StageError } from './stage-error.ts';

/** A running engine: where it answers, and how to stop it. */
export interface Engine {
  url: string;
  close(): Promise<void>;
}

/**
 * Keeps dynoxide's life tied to ours: its watcher reads a pipe that closes however this process ends,
 * SIGKILL included.
 */
const watchedCommand =
  '"$@" </dev/null & engine=$!; (cat >/dev/null; kill $engine 2>/dev/null) <&3 & wait $engine';

/** Starts dynoxide on a free port, over a file or, without one, in memory. */
export async function startDynamoDb(
  dbPath: string | undefined,
  onDeath: (reason: string) => void,
): Promise<Engine> {
  const elsewhere = process.env['AWS_ENDPOINT_URL_DYNAMODB'];
  if (elsewhere) return { url: elsewhere, close: async () => {} };

  const port = await freePort();
  const args = ['--port', String(port), ...(dbPath ? ['--db-path', dbPath] : [])];
  const engine = spawn('/bin/sh', ['-c', watchedCommand, 'sh', binaryPath(), ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  await listening(engine);
  let closing = false;
  const exited = new Promise<void>((resolve) => engine.once('exit', () => resolve()));
  engine.once('exit', () => {
    if (!closing) onDeath('The DynamoDB engine stopped by itself.');
  });
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      closing = true;
      engine.stdio[3]?.destroy();
      await exited;
    },
  };
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
