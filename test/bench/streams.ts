import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuSecondsOf } from '../support/servers/processes.ts';
import { ask, medians, quantile, startTargets } from './targets.ts';

// Measures what streams and large prompts cost beside other gateways: the CPU time of a stream of 1,000 chunks, the delay
// of a chunk with 200 streams under way of which 20 are read slowly, and what a prompt of 2 MB takes.
// [BENCH_PEERS=portkey=…] node test/bench/streams.ts [rounds]

const rounds = Number(process.argv[2] ?? 3);
const { targets: all, close } = await startTargets();
const targets = all.filter(({ name }) => name !== 'quire, no leases');
const streamsAtATime = 20;

await medians(targets, rounds, 'A stream of 1,000 chunks', async (each) => {
  await ask(each, '1000', true);
  const cpuAtStart = each.pid ? cpuSecondsOf(each.pid) : Number.NaN;
  const startedAt = performance.now();
  for (let i = 0; i < streamsAtATime; i++) await ask(each, '1000', true);
  const cpu = each.pid ? cpuSecondsOf(each.pid) - cpuAtStart : Number.NaN;
  return {
    'CPU ms': (1000 * cpu) / streamsAtATime,
    ms: (performance.now() - startedAt) / streamsAtATime,
  };
});

await medians(
  targets,
  rounds,
  '200 streams at once, 80 to 119 chunks 100 ms apart',
  async (each) => {
    const delays: number[] = [];
    let begun = 0;
    const readers = Array.from({ length: 200 }, (_, index) =>
      ask(each, `${80 + (index % 40)} 100`, true, (answer) => {
        begun += 1;
        if (index % 10 === 0) void readSlowly(answer);
        else follow(answer, (delay) => begun === 200 && delays.push(delay));
      }),
    );
    await Promise.all(readers);
    return { 'p50 ms': quantile(delays, 0.5), 'p99 ms': quantile(delays, 0.99) };
  },
);

await medians(targets, rounds, 'A prompt of 2 MB', async (each) => {
  const url = `data:image/jpeg;base64,${'A'.repeat(2 ** 21)}`;
  const prompt = [
    { type: 'image_url', image_url: { url } },
    { type: 'text', text: '1' },
  ];
  const taken: number[] = [];
  for (let i = 0; i < 15; i++) taken.push(await ask(each, prompt));
  return { 'p50 ms': quantile(taken, 0.5), 'p90 ms': quantile(taken, 0.9) };
});
await close();

/** Notes how long each chunk was on its way, once all streams have begun. */
function follow(answer: IncomingMessage, note: (delayMs: number) => void): void {
  answer.on('data', (bytes: Buffer) => {
    const now = performance.timeOrigin + performance.now();
    for (const [, sentAt] of bytes.toString().matchAll(/"content":"(\d+\.\d+) "/g)) {
      note(now - Number(sentAt));
    }
  });
}

/** Reads nothing for a second again and again. */
async function readSlowly(answer: IncomingMessage): Promise<void> {
  while (!answer.readableEnded && !answer.destroyed) {
    answer.pause();
    await pause(1_000);
    answer.resume();
    await pause(10);
  }
}
