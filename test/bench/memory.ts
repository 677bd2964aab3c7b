import { spawnSync } from 'node:child_process';
import { readdirSync, rmdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startCountedStage } from './counted-stage.ts';

// Measures what a smaller share of a processor does to the functions: the first token and the duration of calls, and
// the time of each function, with the share that Lambda gives at 256, 512, 1,024 and 1,769 MB.
// node test/bench/memory.ts [MB]…

const sizes = process.argv.slice(2).map(Number);
const [size] = sizes;
if (process.env['QUIRE_BENCH_MB']) await measure();
else for (const mb of sizes.length > 0 ? sizes : [256, 512, 1024, 1769]) runAt(mb);
process.exit();

/** Runs this in a process whose functions have that share; its threads take it over. */
function runAt(mb: number): void {
  const share = new URL(`./cpu-share.ts?mb=${mb}`, import.meta.url).href;
  const { pid } = spawnSync(
    process.execPath,
    ['--import', share, fileURLToPath(import.meta.url), String(mb)],
    { stdio: 'inherit', env: { ...process.env, QUIRE_BENCH_MB: String(mb) } },
  );
  for (const group of readdirSync('/sys/fs/cgroup/cpu')) {
    if (group.startsWith(`quire-${pid}-`)) rmdirSync(`/sys/fs/cgroup/cpu/${group}`);
  }
}

async function measure(): Promise<void> {
  const { stage, apiKey, close } = await startCountedStage();
  const send = (path: string, body?: object) => timed(`${stage.baseUrl}${path}`, apiKey, body);
  const completion = (content: string, stream: boolean) =>
    send('/v1/chat/completions', {
      model: 'gpt-4o',
      messages: [{ role: 'user', content }],
      max_tokens: 10_000,
      stream,
    });
  const chat = () => send('/chat/stream', { message: '20 0', model: 'gpt-4o' });
  const job = () =>
    send('/batch/jobs', {
      job_type: 'chat',
      model: 'gpt-4o',
      inline: { messages: [{ role: 'user', content: '1 1000' }] },
    });

  const cold = await completion('20 0', true);
  const coldChat = await chat();
  const whole = await repeat(60, () => completion('1 0', false));
  const streamed = await repeat(60, () => completion('20 0', true));
  const long = await repeat(5, () => completion('1800 0', true));
  const chats = await repeat(30, chat);
  await repeat(10, job);
  await repeat(10, () => send('/batch/jobs'));
  const work = await stage.whenStill();
  const ms = (value: number) => value.toFixed(1).padStart(8);
  console.log(`\n${size} MB`);
  console.log(`  first completion of a sandbox, first token   ${ms(cold.firstMs)} ms`);
  console.log(`  first chat of a sandbox, first token         ${ms(coldChat.firstMs)} ms`);
  console.log(`  completion, duration                     p50 ${ms(middle(whole, 'allMs'))} ms`);
  console.log(
    `  streamed completion, first token         p50 ${ms(middle(streamed, 'firstMs'))} ms`,
  );
  console.log(`  streamed completion, 20 pieces           p50 ${ms(middle(streamed, 'allMs'))} ms`);
  console.log(`  streamed completion, 1,800 pieces        p50 ${ms(middle(long, 'allMs'))} ms`);
  console.log(`  chat stream, first token                 p50 ${ms(middle(chats, 'firstMs'))} ms`);
  for (const [name, { invocations, durationMs, cpuMs }] of Object.entries(work)) {
    if (invocations === 0) continue;
    const each = `${ms(durationMs / invocations)} ms each, of a processor ${ms(cpuMs / invocations)} ms`;
    console.log(`  ${name.padEnd(24)} ${String(invocations).padStart(4)} × ${each}`);
  }
  await close();
}

interface Timed {
  firstMs: number;
  allMs: number;
}

async function timed(url: string, key: string, body?: object): Promise<Timed> {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url} is answered with ${response.status}`);
  let firstMs = 0;
  for await (const _ of response.body ?? []) firstMs ||= performance.now() - startedAt;
  return { firstMs, allMs: performance.now() - startedAt };
}

async function repeat(times: number, work: () => Promise<Timed>): Promise<Timed[]> {
  const all: Timed[] = [];
  for (let i = 0; i < times; i++) all.push(await work());
  return all;
}

function middle(all: Timed[], figure: keyof Timed): number {
  return all.map((each) => each[figure]).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
}
