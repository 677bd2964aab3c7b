import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Answer, call, type Target } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { newDataDir, startTestStage } from '../support/servers/stage.ts';

// Measures what a key with small calls sees beside another key's large ones: bodies, a file that many calls name, an
// answer, an error's body, and a line without an end. Each runs on a stage of its own.
// [QUIRE_BENCH_ROOT=<checkout>] node test/bench/beside.ts [bodies|files|whole|error|line]…

interface Seen {
  p50: number;
  p99: number;
  calls: number;
  failed: Record<string, number>;
}

if (process.env['QUIRE_BENCH_NEIGHBOUR']) await beNeighbour();

const mb = 2 ** 20;
const key = { budget_usd: 50_000, requests_per_minute: null, max_concurrent: 1_000 };

/** As much as a request may carry. */
const picture = {
  type: 'image_url',
  image_url: { url: `data:image/jpeg;base64,${'A'.repeat(5.7 * mb)}` },
};

const attacks: Record<string, (target: Target) => Promise<Answer<unknown>[]>> = {
  bodies: (target) =>
    together(100, () => complete(target, { content: [picture, { type: 'text', text: '10 100' }] })),
  files: async (target) => {
    const file_id = await upload(target, 20 * mb);
    const content = [{ type: 'file', file: { file_id } }];
    return together(40, () => complete(target, { content, model: 'gpt-4.1', max_tokens: 10 }));
  },
  whole: (target) =>
    together(1, () => complete(target, { content: 'whole 400', max_tokens: undefined })),
  error: (target) => together(1, () => complete(target, { content: 'error 200' })),
  line: (target) => together(1, () => complete(target, { content: 'line 400', stream: true })),
};

const [only, ...others] = process.argv.slice(2);
if (only && others.length === 0) await measure(only);
// The client of the tables keeps the address of its first stage.
else for (const name of only ? [only, ...others] : Object.keys(attacks)) runAlone(name);
process.exit();

function runAlone(name: string): void {
  spawnSync(process.execPath, [fileURLToPath(import.meta.url), name], { stdio: 'inherit' });
}

async function measure(name: string): Promise<void> {
  const upstream = fork(new URL('./upstream.ts', import.meta.url));
  const [port] = await once(upstream, 'message');
  const sourceRoot = process.env['QUIRE_BENCH_ROOT'];
  const stage = await startTestStage({
    ...(sourceRoot && { sourceRoot }),
    memory: true,
    dataDir: newDataDir(),
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'bench' },
  });
  const [neighbour, large] = [await newCaller(stage, key), await newCaller(stage, key)];
  await complete(neighbour, { content: '1 0' });
  const child = fork(new URL(import.meta.url), [JSON.stringify(neighbour)], {
    env: { ...process.env, QUIRE_BENCH_NEIGHBOUR: '1' },
  });
  await once(child, 'message');
  let [peakMb, isOver] = [0, false];
  const watching = (async () => {
    while (!isOver) {
      peakMb = Math.max(peakMb, residentMb(stage.process.pid));
      await pause(50);
    }
  })();
  const tell = async () => {
    child.send('tell');
    return (await once(child, 'message'))[0] as Seen;
  };
  await pause(5_000);
  const alone = await tell();
  const startedAt = performance.now();
  const answers = await attacks[name]?.(large);
  const seconds = (performance.now() - startedAt) / 1000;
  const seen = await tell();
  isOver = true;
  await watching;
  const used = await call<{ budget: { used_usd: number } }>(large, 'GET', '/user/limits').catch(
    () => undefined,
  );
  const statuses = Map.groupBy(answers ?? [], ({ status, headers }) =>
    [status || 'broken', headers.get('retry-after') && `retry-after ${headers.get('retry-after')}`]
      .filter(Boolean)
      .join(' '),
  );
  const told = [...statuses].map(([status, { length }]) => `${length} × ${status}`).join(', ');
  console.log(`\n${name}: ${told} in ${seconds.toFixed(1)} s`);
  const last = answers?.find(({ status }) => status !== 200);
  if (last) console.log(`  ${JSON.stringify(last.body).slice(0, 300)}`);
  console.log(
    `  neighbour: p50 ${seen.p50.toFixed(1)} ms, p99 ${seen.p99.toFixed(1)} ms of ${seen.calls} calls, failed ${JSON.stringify(seen.failed)}; alone p50 ${alone.p50.toFixed(1)} ms, p99 ${alone.p99.toFixed(1)} ms`,
  );
  console.log(
    `  stage: at most ${peakMb.toFixed(0)} MB, ${stage.process.exitCode ?? stage.process.signalCode ?? 'lives'}; used $${used?.body.budget.used_usd}`,
  );
  const ends = stage.lines.filter((line) => /crash|memory|heap|FATAL|exited/i.test(line));
  for (const line of ends.slice(0, 3)) console.log(`  | ${line.slice(0, 160)}`);
  child.kill();
  await stage.close();
  upstream.disconnect();
}

/** Asks once; a connection that breaks has the status 0. */
function complete(
  target: Target,
  { content, ...rest }: { content: unknown; [name: string]: unknown },
) {
  const messages = [{ role: 'user', content }];
  const body = { model: 'gpt-4o', max_tokens: 10_000, messages, ...rest };
  return send(target, body).catch((error: Error) => ({
    status: 0,
    headers: new Headers(),
    body: String(error.cause ?? error) as unknown,
  }));
}

async function send({ base_url, api_key }: Target, body: object): Promise<Answer<unknown>> {
  const response = await fetch(`${base_url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}` },
    body: JSON.stringify(body),
  });
  let text = '';
  for await (const piece of response.body ?? []) {
    if (text.length < 10_000) text += Buffer.from(piece).toString();
  }
  return { status: response.status, headers: response.headers, body: text };
}

function together<Result>(times: number, work: () => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, work));
}

/** Uploads a file in parts. Returns its id. */
async function upload(target: Target, bytes: number): Promise<string> {
  const asked = { filename: 'large.txt', purpose: 'user_data', bytes, mime_type: 'text/plain' };
  const { body } = await call<{ id: string }>(target, 'POST', '/v1/uploads', asked);
  const part_ids: string[] = [];
  for (let sent = 0; sent < bytes; sent += 4 * mb) {
    const form = new FormData();
    form.append('data', new Blob(['word '.repeat(mb).slice(0, Math.min(4 * mb, bytes - sent))]));
    const response = await fetch(`${target.base_url}/v1/uploads/${body.id}/parts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.api_key}` },
      body: form,
    });
    part_ids.push(((await response.json()) as { id: string }).id);
  }
  const completed = await call<{ file: { id: string } }>(
    target,
    'POST',
    `/v1/uploads/${body.id}/complete`,
    { part_ids },
  );
  return completed.body.file.id;
}

/** Asks for small answers one after another. Tells, when it is asked, how long they took since it was asked last. */
async function beNeighbour(): Promise<never> {
  const target = JSON.parse(process.argv[2] ?? '{}') as Target;
  let taken: number[] = [];
  let failed: Record<string, number> = {};
  process.on('message', () => {
    const sorted = taken.toSorted((a, b) => a - b);
    const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
    process.send?.({ p50: quantile(0.5), p99: quantile(0.99), calls: taken.length, failed });
    [taken, failed] = [[], {}];
  });
  process.once('disconnect', () => process.exit());
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: '1 0' }], max_tokens: 10 };
  for (let n = 0; ; n++) {
    const startedAt = performance.now();
    const status = await send(target, body).then(
      (answer) => String(answer.status),
      () => 'broken',
    );
    // The first ones compile.
    if (n >= 100) taken.push(performance.now() - startedAt);
    if (n === 100) process.send?.('ready');
    if (status !== '200') failed[status] = (failed[status] ?? 0) + 1;
    await pause(5);
  }
}

function residentMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(status.match(/VmRSS:\s+(\d+)/)?.[1]) / 1024;
  } catch {
    return 0;
  }
}
