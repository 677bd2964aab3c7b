import { setTimeout as pause } from 'node:timers/promises';
import type { Work } from '../lab/cost/work.ts';
import { startCountedStage } from './counted-stage.ts';

// Measures what a line of a file of requests takes, by a job of `/batch/jobs` and by a batch of `/v1/batches`, beside a chat
// job for each question; and how both get on together. For each: its time, the units of the store, the calls to other
// services, and the ratio of the time to that of single jobs.
// node test/bench/batch-lines.ts [lines]

const count = Number(process.argv[2] ?? 500);
const { stage, apiKey, close } = await startCountedStage();

const body = { model: 'gpt-4o', max_tokens: 10, messages: [{ role: 'user', content: '1 0' }] };
const lines = Array.from({ length: count }, (_, at) =>
  JSON.stringify({ custom_id: `id-${at}`, method: 'POST', url: '/v1/chat/completions', body }),
).join('\n');
const single = { job_type: 'chat', model: 'gpt-4o', inline: { messages: body.messages } };

/** Starts each way of asking so many questions; returns how long it has taken once it is called. */
const ways = {
  'single jobs': async () => {
    const ids: string[] = [];
    for (let at = 0; at < count; at += 20) {
      const some = Array.from({ length: Math.min(20, count - at) }, () => submit(single));
      ids.push(...(await Promise.all(some)));
    }
    return () => Promise.all(ids.map((id) => ended(`/batch/jobs/${id}`)));
  },
  'a request file': async () => {
    const id = await submit({ job_type: 'chat', file_id: await upload() });
    return () => ended(`/batch/jobs/${id}`);
  },
  'a batch': async () => {
    const made = { input_file_id: await upload(), endpoint: '/v1/chat/completions' };
    const { id } = await send('/v1/batches', { ...made, completion_window: '24h' });
    return () => ended(`/v1/batches/${id}`);
  },
};

console.log(`${count} questions     ms each   ratio  write units  read units  other calls`);
let firstMs: number | undefined;
for (const [name, start] of Object.entries(ways)) {
  const before = totalOf(await stage.whenStill());
  const startedAt = performance.now();
  await (await start())();
  const ms = (performance.now() - startedAt) / count;
  firstMs ??= ms;
  const after = totalOf(await stage.whenStill());
  const each = (unit: keyof typeof after) => ((after[unit] - before[unit]) / count).toFixed(2);
  const ratio = (ms / firstMs).toFixed(2);
  console.log(
    `  ${name.padEnd(16)}${ms.toFixed(1).padStart(8)}${ratio.padStart(8)}${each('write').padStart(13)}${each('read').padStart(12)}${each('calls').padStart(13)}`,
  );
}

const startedAt = performance.now();
const [batch, jobs] = [await ways['a batch'](), await ways['single jobs']()];
const since = () => ((performance.now() - startedAt) / 1000).toFixed(1);
const told = async (name: string, end: () => Promise<unknown>) => {
  await end();
  console.log(`  together: ${name} ended after ${since()} s`);
};
await Promise.all([told('a batch', batch), told('single jobs', jobs)]);
await close();
process.exit();

function totalOf(work: Work) {
  const functions = Object.entries(work).filter(([name]) => name !== 'sweep');
  const sum = (of: (each: Work[string]) => number) =>
    functions.reduce((total, [, each]) => total + of(each), 0);
  return {
    write: sum(({ writeUnits }) => writeUnits),
    read: sum(({ readUnits }) => readUnits),
    calls: sum(({ calls }) => Object.values(calls).reduce((total, each) => total + each, 0)),
  };
}

async function request(path: string, init: RequestInit): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${stage.baseUrl}${path}`, { ...init, headers });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}

function send(path: string, sent: object) {
  return request(path, { method: 'POST', body: JSON.stringify(sent) });
}

async function submit(job: object): Promise<string> {
  return (await send('/batch/jobs', job))['id'] ?? '';
}

async function upload(): Promise<string> {
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([lines]), 'requests.jsonl');
  return (await request('/v1/files', { method: 'POST', body: form }))['id'] ?? '';
}

async function ended(path: string): Promise<void> {
  for (;;) {
    const { status = '', error } = await request(path, {});
    if (['done', 'completed'].includes(status)) return;
    if (['failed', 'cancelled', 'expired'].includes(status)) throw new Error(`${status}: ${error}`);
    await pause(100);
  }
}
