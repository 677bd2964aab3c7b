import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { secretKeyEnvironment } from '../../lib/local/engines/client-config.ts';
import { startCountedStage } from './counted-stage.ts';
import type { Peak, Task } from './peak-memory-process.ts';

// Measures how much memory a process takes in which `run-chat-job` runs and nothing else, while it answers all lines of a
// batch: a new process for each number of lines. With a smaller heap than it has, it can put off less of its garbage.
// [QUIRE_BENCH_MB=100] node test/bench/batch-memory.ts [lines]…

const sizes = process.argv.slice(2).map(Number);
const { stage, apiKey, close } = await startCountedStage();
const found = stage.functions.all.find(({ config }) => config.name === 'run-chat-job');
if (!found) throw new Error('no function run-chat-job');
const memoryMb = Number(process.env['QUIRE_BENCH_MB'] ?? found.config.memoryMb);
const config = { ...found.config, memoryMb };
// As in `peak-memory.ts`.
const flags = [
  `--max-semi-space-size=${Math.floor(memoryMb / 20)}`,
  `--max-old-space-size=${Math.floor(memoryMb * 0.9)}`,
];

const question = 'word '.repeat(200);
const body = { model: 'gpt-4o', max_tokens: 10 };
for (const count of sizes.length > 0 ? sizes : [2_000, 20_000]) {
  const child = fork(new URL('./peak-memory-process.ts', import.meta.url), {
    execArgv: flags,
    env: { ...process.env, ...secretKeyEnvironment },
  });
  const peaks: Peak[] = [];
  found.invoke = async (event) => {
    const id = peaks.length + Math.random();
    child.send({ id, config, event, times: 1, slow: false } satisfies Task);
    for (;;) {
      const [peak] = (await once(child, 'message')) as [Peak];
      if (peak.id !== id) continue;
      peaks.push(peak);
      return peak.result;
    }
  };
  const startedAt = performance.now();
  await runBatch(count);
  const seconds = (performance.now() - startedAt) / 1000;
  const startMb = peaks[0]?.startMb ?? 0;
  const peakMb = Math.max(...peaks.map((peak) => peak.peakMb));
  console.log(
    `${String(count).padStart(6)} lines  ${peakMb.toFixed(0)} MB, ${startMb.toFixed(0)} of them without the function; ${seconds.toFixed(0)} s, ${peaks.length} invocations`,
  );
  child.disconnect();
}
await close();
process.exit();

/** Makes a batch of so many lines, and waits for its end. */
async function runBatch(count: number): Promise<void> {
  const messages = [
    { role: 'system', content: '1 0' },
    { role: 'user', content: question },
  ];
  const lines = Array.from({ length: count }, (_, at) =>
    JSON.stringify({
      ...{ custom_id: `id-${at}`, method: 'POST', url: '/v1/chat/completions' },
      body: { ...body, messages },
    }),
  );
  const upload = await send('/v1/uploads', {
    ...{ filename: 'requests.jsonl', purpose: 'batch', mime_type: 'application/jsonl' },
    bytes: Buffer.byteLength(lines.join('\n')),
  });
  const part_ids: string[] = [];
  const content = new Blob([lines.join('\n')]);
  for (let from = 0; from < content.size; from += 2 ** 22) {
    const form = new FormData();
    form.append('data', content.slice(from, from + 2 ** 22), 'part');
    const part = await request(`/v1/uploads/${upload['id']}/parts`, { method: 'POST', body: form });
    part_ids.push(part['id'] ?? '');
  }
  const { file } = (await send(`/v1/uploads/${upload['id']}/complete`, {
    part_ids,
  })) as unknown as { file: { id: string } };
  const endpoint = '/v1/chat/completions';
  const made = { input_file_id: file.id, endpoint, completion_window: '24h' };
  const { id } = await send('/v1/batches', made);
  for (;;) {
    const { status = '' } = await request(`/v1/batches/${id}`, {});
    if (status === 'completed') return;
    if (['failed', 'cancelled', 'expired'].includes(status)) throw new Error(status);
    await pause(500);
  }
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
