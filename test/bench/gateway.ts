import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpuSecondsByThread, cpuSecondsOf } from '../support/servers/processes.ts';
import { startTestStage, type TestStage } from '../support/servers/stage.ts';
import { startPeers } from './peers.ts';

const help = `Measures what Quire adds to a model call: one run asks a stub upstream directly, through a bare pipe proxy,
through Quire's local stage, with leases and without, and through other gateways of this machine. Each figure is the median of three rounds. Only the
ratios can be compared with another machine's.

  npm run bench
  BENCH_PEERS=litellm=~/venv/bin/litellm,portkey=~/node_modules/.bin/gateway npm run bench

It takes no options. The other benches are in test/bench.`;

if (process.argv.length > 2) {
  console.log(help);
  process.exit(process.argv[2] === '--help' ? 0 : 1);
}

const rounds = 3;

interface Target {
  name: string;
  url: string;
  headers: Record<string, string>;
  agent: Agent;
  /** The process whose CPU time is what a request costs; none for the upstream. */
  pid?: number | undefined;
}

const upstream = await startScript('upstream.ts');
const proxy = await startScript('pipe-proxy.ts', String(upstream.port));
const peers = await startPeers(upstream.port);
const stage = await startQuire('on');
const unleased = await startQuire('off');
const quire = targetOf('quire', stage);
const targets = [
  target('direct', `http://127.0.0.1:${upstream.port}`),
  target('pipe proxy', `http://127.0.0.1:${proxy.port}`, proxy.process.pid),
  ...peers.map(({ name, url, process, headers }) => target(name, url, process.pid, headers)),
  targetOf('quire, no leases', unleased),
  quire,
];

await compare('Not streamed, one connection', async (each) => {
  await repeat(200, () => ask(each, '1'));
  const taken = await repeat(500, () => ask(each, '1'));
  return { 'p50 ms': quantile(taken, 0.5), 'p99 ms': quantile(taken, 0.99) };
});
await compare('Time to the first streamed byte, one connection', async (each) => {
  await repeat(100, () => ask(each, '20', true));
  const taken = await repeat(300, () => ask(each, '20', true));
  return { 'p50 ms': quantile(taken, 0.5), 'p99 ms': quantile(taken, 0.99) };
});
for (const connections of [1, 16]) {
  const title = `${connections} connection${connections > 1 ? 's' : ''}`;
  await compare(title, async (each) => {
    const cpuAtStart = each.pid ? cpuSecondsOf(each.pid) : Number.NaN;
    const rate = await requestsPerSecond(each, connections);
    const cpuMs = each.pid ? cpuSecondsOf(each.pid) - cpuAtStart : Number.NaN;
    return { 'requests/s': rate, 'CPU ms each': cpuMs };
  });
}
await compare('One stream of 20,000 chunks', async (each) => {
  await ask(each, '20000', true);
  const startedAt = performance.now();
  await ask(each, '20000', true);
  return { 'chunks/s': 20_000 / ((performance.now() - startedAt) / 1000) };
});

console.log("\nCPU of Quire's threads and its engine, 16 connections (ms a request)");
const pid = stage.process.pid ?? 0;
const before = cpuSecondsByThread(pid);
await requestsPerSecond(quire, 16);
for (const [name, seconds] of [...cpuSecondsByThread(pid)].toSorted(([, a], [, b]) => b - a)) {
  const ms = seconds - (before.get(name) ?? 0);
  if (ms >= 0.1) row(name, { ms });
}

console.log('\nMemory of the stage (MB)');
row('before', { resident: residentMb(pid) });
const streams = Promise.all(Array.from({ length: 100 }, () => ask(quire, '50 100', true)));
await new Promise((resolve) => setTimeout(resolve, 4_000));
row('100 slow streams', { resident: residentMb(pid) });
await streams;

await Promise.all([stage.close(), unleased.close()]);
for (const peer of peers) peer.close();
upstream.process.disconnect();
proxy.process.disconnect();
for (const { agent } of targets) agent.destroy();

/** Measures each target in turn, three times, and prints the medians; or why a peer can't do it. */
async function compare(
  title: string,
  measure: (each: Target) => Promise<Record<string, number>>,
): Promise<void> {
  const taken = new Map(targets.map((each) => [each, [] as Record<string, number>[]]));
  for (let round = 0; round < rounds; round++) {
    for (const each of targets) {
      try {
        taken.get(each)?.push(await measure(each));
      } catch (error) {
        if (each === quire) throw error;
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

async function startScript(file: string, ...args: string[]) {
  const child = fork(new URL(file, import.meta.url), args);
  const [port] = (await once(child, 'message')) as [number];
  return { process: child, port };
}

/** Starts a stage whose calls share holds, or are held each by itself. */
function startQuire(LEASES: 'on' | 'off'): Promise<TestStage> {
  const url = `http://127.0.0.1:${upstream.port}/v1`;
  return startTestStage({
    memory: true,
    env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'bench', LEASES },
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
  return { name, url, pid, headers: all, agent: new Agent({ keepAlive: true, maxSockets: 64 }) };
}

/** Asks once. Returns the ms to the first byte of a stream, or to the end of an answer that isn't streamed. */
function ask({ url, headers, agent }: Target, content: string, stream = false): Promise<number> {
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

async function repeat(times: number, work: () => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) taken.push(await work());
  return taken;
}

async function requestsPerSecond(each: Target, connections: number): Promise<number> {
  const times = 1_000 / connections;
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, () => repeat(times, () => ask(each, '1'))));
  return 1_000 / ((performance.now() - startedAt) / 1000);
}

function quantile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(status.match(/VmRSS:\s+(\d+)/)?.[1]) / 1024;
}

function row(name: string, figures: Record<string, number>): void {
  const columns = Object.entries(figures).flatMap(([label, value]) =>
    Number.isNaN(value) ? [] : `${label} ${value.toFixed(1)}`,
  );
  console.log(`  ${name.padEnd(18)} ${columns.join('   ')}`);
}
