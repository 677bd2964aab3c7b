import { readFileSync } from 'node:fs';
import { cpuSecondsByThread, cpuSecondsOf } from '../support/servers/processes.ts';
import { ask, medians, quantile, row, startTargets, type Target } from './targets.ts';

const help = `Measures what Quire adds to a model call: one run asks a stub upstream directly, through a bare pipe proxy,
through Quire's local stage, with leases and without, through another version's, and through other gateways of this machine. Each figure is the median
of three rounds. Only the ratios can be compared with another machine's.

  npm run bench
  QUIRE_BENCH_ROOT=../quire-before npm run bench
  BENCH_PEERS=litellm=~/venv/bin/litellm,portkey=~/node_modules/.bin/gateway npm run bench

It takes no options. The other benches are in test/bench.`;

if (process.argv.length > 2) {
  console.log(help);
  process.exit(process.argv[2] === '--help' ? 0 : 1);
}

const rounds = 3;

const { targets, quire, close } = await startTargets();
const compare = (title: string, measure: (each: Target) => Promise<Record<string, number>>) =>
  medians(targets, rounds, title, measure);

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
const pid = quire.pid ?? 0;
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

await close();

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

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(status.match(/VmRSS:\s+(\d+)/)?.[1]) / 1024;
}
