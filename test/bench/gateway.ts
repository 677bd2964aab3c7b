import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { startTestStage } from '../support/servers/stage.ts';

const help = `Measures what Quire adds to a model call: one run asks a stub upstream directly, through a bare pipe proxy,
and through Quire's local stage. Only the ratios can be compared with another machine's.

  npm run bench

It takes no options. The other benches are in test/bench.`;

if (process.argv.length > 2) {
  console.log(help);
  process.exit(process.argv[2] === '--help' ? 0 : 1);
}

interface Target {
  name: string;
  url: string;
  key: string;
  agent: Agent;
}

const upstream = await startScript('upstream.ts');
const proxy = await startScript('pipe-proxy.ts', String(upstream.port));
const stage = await startTestStage({
  memory: true,
  env: { OPENAI_BASE_URL: `http://127.0.0.1:${upstream.port}/v1`, OPENAI_API_KEY: 'bench' },
});
const targets = [
  target('direct', `http://127.0.0.1:${upstream.port}`),
  target('pipe proxy', `http://127.0.0.1:${proxy.port}`),
  target('quire', stage.base_url, stage.api_key),
];

console.log('Non-streamed, one connection (ms)');
for (const each of targets) {
  await repeat(200, () => ask(each, '1'));
  row(each.name, quantiles(await repeat(500, () => ask(each, '1'))));
}
console.log('\nTime to the first streamed byte, one connection (ms)');
for (const each of targets) {
  await repeat(100, () => ask(each, '20', true));
  row(each.name, quantiles(await repeat(300, () => ask(each, '20', true))));
}
for (const connections of [1, 16]) {
  console.log(`\nRequests a second, ${connections} connection${connections > 1 ? 's' : ''}`);
  for (const each of targets)
    row(each.name, { 'req/s': await requestsPerSecond(each, connections) });
}
console.log('\nChunks a second, one stream of 20,000');
for (const each of targets) {
  const startedAt = performance.now();
  await ask(each, '20000', true);
  row(each.name, { 'chunks/s': 20_000 / ((performance.now() - startedAt) / 1000) });
}
console.log('\nMemory of the stage (MB)');
const pid = stage.process.pid ?? 0;
const idle = residentMb(pid);
const streams = Promise.all(
  Array.from({ length: 100 }, () =>
    ask(target('slow', stage.base_url, stage.api_key), '50 100', true),
  ),
);
await new Promise((resolve) => setTimeout(resolve, 4_000));
row('before', { resident: idle });
row('100 slow streams', { resident: residentMb(pid) });
await streams;

await stage.close();
upstream.process.disconnect();
proxy.process.disconnect();
for (const { agent } of targets) agent.destroy();

async function startScript(file: string, ...args: string[]) {
  const child = fork(new URL(file, import.meta.url), args);
  const [port] = (await once(child, 'message')) as [number];
  return { process: child, port };
}

function target(name: string, url: string, key = 'bench'): Target {
  return { name, url, key, agent: new Agent({ keepAlive: true, maxSockets: 64 }) };
}

/** Asks once. Returns the ms to the first byte of a stream, or to the end of an answer that isn't streamed. */
function ask({ url, key, agent }: Target, content: string, stream = false): Promise<number> {
  const body = JSON.stringify({
    model: 'gpt-4o',
    messages: [{ role: 'user', content }],
    max_tokens: 10,
    ...(stream && { stream: true }),
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
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

function quantiles(values: number[]): Record<string, number> {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(status.match(/VmRSS:\s+(\d+)/)?.[1]) / 1024;
}

function row(name: string, figures: Record<string, number>): void {
  const columns = Object.entries(figures).map(([label, value]) => `${label} ${value.toFixed(1)}`);
  console.log(`  ${name.padEnd(18)} ${columns.join('   ')}`);
}
