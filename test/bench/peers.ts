import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../support/servers/free-ports.ts';
import { poll } from '../support/servers/poll.ts';

/** Another gateway on this machine, which sends what it is asked to the stub upstream. */
export interface Peer {
  name: string;
  url: string;
  headers: Record<string, string>;
  process: ChildProcess;
  close(): void;
}

/** Starts the gateways that BENCH_PEERS names with their commands, as in `litellm=litellm,portkey=gateway`. */
export async function startPeers(upstreamPort: number, named = process.env['BENCH_PEERS'] ?? '') {
  const starting = named
    .split(',')
    .filter(Boolean)
    .map(async (peer) => {
      const [name = '', command = name] = peer.split('=');
      const start = starters[name];
      if (!start)
        throw new Error(`BENCH_PEERS takes ${Object.keys(starters).join(' and ')}, not ${name}.`);
      const [port = 0] = await freePorts(1);
      const started = start(command, port, `http://127.0.0.1:${upstreamPort}/v1`);
      const url = `http://127.0.0.1:${port}`;
      const hasEnded = () => started.process.exitCode !== null;
      await poll(async () => hasEnded() || (await isUp(url)), Boolean);
      if (hasEnded()) throw new Error(`${name} ended as it started: try ${command} by itself.`);
      return { name, url, ...started };
    });
  return Promise.all(starting);
}

type Start = (command: string, port: number, upstream: string) => Omit<Peer, 'name' | 'url'>;

const starters: Record<string, Start> = {
  /** Without a database: nothing is metered. */
  litellm(command, port, upstream) {
    const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'));
    const config = join(folder, 'config.json');
    const params = { model: 'openai/gpt-4o', api_base: upstream, api_key: 'bench' };
    writeFileSync(
      config,
      JSON.stringify({ model_list: [{ model_name: 'gpt-4o', litellm_params: params }] }),
    );
    const key = `sk-${randomBytes(32).toString('hex')}`;
    const args = ['--config', config, '--port', String(port)];
    const process = run(command, args, { LITELLM_MASTER_KEY: key });
    const close = () => {
      process.kill();
      rmSync(folder, { recursive: true, force: true });
    };
    return { headers: { authorization: `Bearer ${key}` }, process, close };
  },

  /** Without keys, budgets or a store. */
  portkey(command, port, upstream) {
    const process = run(command, [`--port=${port}`, '--headless']);
    const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': upstream };
    return { headers, process, close: () => process.kill() };
  },
};

const run = (command: string, args: string[], env: Record<string, string> = {}) =>
  spawn(command, args, { stdio: 'ignore', env: { ...process.env, ...env } });

async function isUp(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
