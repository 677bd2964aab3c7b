import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { newCaller } from '../support/servers/new-caller.ts';
import { startTestStage, type TestStage } from '../support/servers/stage.ts';
import { startPeers } from './peers.ts';

/** A gateway, or the upstream itself, that is asked. */
export interface Target {
  name: string;
  url: string;
  headers: Record<string, string>;
  agent: Agent;
  /** The process whose CPU time is what a request costs; none for the upstream. */
  pid?: number | undefined;
}

/**
 * Starts the stub upstream and, before it, a bare pipe proxy, the stage with leases and without, one
 * without of another checkout that `QUIRE_BENCH_ROOT` names, and the peers.
 */
export async function startTargets(env: Record<string, string> = {}) {
  const upstream = await startScript('upstream.ts');
  const proxy = await startScript('pipe-proxy.ts', String(upstream.port));
  const peers = await startPeers(upstream.port);
  const stage = await startQuire(upstream.port, 'on', env);
  const unleased = await startQuire(upstream.port, 'off', env);
  const sourceRoot = process.env['QUIRE_BENCH_ROOT'];
  const other = sourceRoot ? await startQuire(upstream.port, 'off', env, sourceRoot) : undefined;
  const caller = await newCaller(stage, { max_concurrent: null });
  const quire = targetOf('quire', { ...stage, ...caller });
  const targets = [
    target('direct', `http://127.0.0.1:${upstream.port}`),
    target('pipe proxy', `http://127.0.0.1:${proxy.port}`, proxy.process.pid),
    ...peers.map(({ name, url, process, headers }) => target(name, url, process.pid, headers)),
    targetOf('quire, no leases', unleased),
    ...(other ? [targetOf('other, no leases', other)] : []),
    quire,
  ];
  return {
    targets,
    quire,
    async close(): Promise<void> {
      await Promise.all([stage.close(), unleased.close(), other?.close()]);
      for (const peer of peers) peer.close();
      upstream.process.disconnect();
      proxy.process.disconnect();
      for (const { agent } of targets) agent.destroy();
    },
  };
}

async function startScript(file: string, ...args: string[]) {
  const child = fork(new URL(file, import.meta.url), args);
  const [port] = (await once(child, 'message')) as [number];
  return { process: child, port };
}

/** Starts a stage whose calls share holds, or are held each by itself. */
function startQuire(
  upstreamPort: number,
  LEASES: 'on' | 'off',
  env: Record<string, string>,
  sourceRoot?: string,
): Promise<TestStage> {
  const url = `http://127.0.0.1:${upstreamPort}/v1`;
  return startTestStage({
    memory: true,
    ...(sourceRoot && { sourceRoot }),
    env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'bench', LEASES, ...env },
  });
}

function targetOf(name: string, { base_url, process, api_key }: TestStage): Target {
  return target(name, base_url, process.pid, { authorization: `Bearer ${api_key}` });
}

function target(
  name: string,
  url: string,
  pid?: number,
  headers: Record<string, string> = {},
): Target {
  const all = { authorization: 'Bearer bench', 'content-type': 'application/json', ...headers };
  return { name, url, pid, headers: all, agent: new Agent({ keepAlive: true, maxSockets: 256 }) };
}

/** What the stub reads: it is told in a prompt's last text, see `upstream.ts`. */
type Content = string | { type: string; text?: string; image_url?: { url: string } }[];

/**
 * Asks once. Returns the ms to the first byte of a stream, or to the end of an answer that isn't streamed. `onAnswer`
 * may follow what comes.
 */
export function ask(
  { url, headers, agent }: Target,
  content: Content,
  stream = false,
  onAnswer: (answer: IncomingMessage) => void = () => {},
): Promise<number> {
  const body = JSON.stringify({
    model: 'gpt-4o',
    messages: [{ role: 'user', content }],
    max_tokens: 10_000,
    ...(stream && { stream: true }),
  });
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let first = 0;
    const call = request(
      `${url}/v1/chat/completions`,
      { method: 'POST', agent, headers },
      (answer) => {
        onAnswer(answer);
        if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
        answer.on('data', () => {
          first ||= performance.now() - startedAt;
        });
        answer.once('end', () => resolve(stream ? first : performance.now() - startedAt));
      },
    );
    call.once('error', reject);
    call.end(body);
  });
}

/** Measures each target in turn, some rounds, and prints the medians; or why one can't do it. */
export async function medians(
  targets: readonly Target[],
  rounds: number,
  title: string,
  measure: (each: Target) => Promise<Record<string, number>>,
): Promise<void> {
  const taken = new Map(targets.map((each) => [each, [] as Record<string, number>[]]));
  for (let round = 0; round < rounds; round++) {
    for (const each of targets) {
      try {
        taken.get(each)?.push(await measure(each));
      } catch (error) {
        console.log(`  ${each.name}: ${(error as Error).message}`);
      }
    }
  }
  console.log(`\n${title}`);
  for (const [{ name }, figures] of taken) {
    if (figures.length === 0) continue;
    const labels = Object.keys(figures[0] ?? {});
    const medianOf = (label: string) =>
      quantile(
        figures.map((figure) => figure[label] ?? 0),
        0.5,
      );
    row(name, Object.fromEntries(labels.map((label) => [label, medianOf(label)])));
  }
}

/** The value below which a share of the values lies. */
export function quantile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

/** Prints a line of figures. */
export function row(name: string, figures: Record<string, number>): void {
  const columns = Object.entries(figures).flatMap(([label, value]) =>
    Number.isNaN(value) ? [] : `${label} ${value.toFixed(1)}`,
  );
  console.log(`  ${name.padEnd(18)} ${columns.join('   ')}`);
}
