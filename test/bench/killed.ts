import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { greyPage, rawPdf } from '../support/fixtures/poison.ts';
import { call, chatJob, submit, type Target, until } from '../support/servers/api.ts';
import { chunk, completionOf, streamOf } from '../support/servers/model-stub-pieces.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { poll } from '../support/servers/poll.ts';
import { commandLine, startedBy } from '../support/servers/processes.ts';
import { newDataDir, startTestStage } from '../support/servers/stage.ts';

// Kills (kill -9) one process of a stage after another while two keys are at work in all of them: the one whose calls it has,
// and another, which must see nothing of it. Prints what either saw.
// node test/bench/killed.ts [part of a process's name]…

/** A model that streams for three seconds, and answers at once who wants one token. */
const upstream = createServer(async (request, response) => {
  const { stream, max_tokens } = (await json(request)) as { stream?: boolean; max_tokens?: number };
  response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json');
  if (request.url?.endsWith('/embeddings')) {
    const data = [{ object: 'embedding', index: 0, embedding: Array(1536).fill(0.1) }];
    return void response.end(JSON.stringify({ object: 'list', data, usage: { prompt_tokens: 1 } }));
  }
  if (!stream) {
    if (max_tokens !== 1) await pause(3_000);
    return void response.end(completionOf('The end', [3, 4]));
  }
  for (let sent = 0; sent < 60 && !response.destroyed; sent++) {
    response.write(chunk('word '));
    await pause(50);
  }
  response.end(streamOf(['The end'], [3, 64]).join(''));
});
await once(upstream.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
const stage = await startTestStage({
  memory: true,
  dataDir: newDataDir(),
  env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'bench' },
});
const limits = { budget_usd: 1_000, requests_per_minute: null };
const [victim, neighbour] = [await newCaller(stage, limits), await newCaller(stage, limits)];

const messages = [{ role: 'user', content: 'Go on.' }];
const model = 'gpt-4o';
const streams: Record<string, object> = {
  '/v1/chat/completions': { model, messages, stream: true },
  '/v1/responses': { model, input: 'Go on.', stream: true },
  '/v1/messages': { model, messages, max_tokens: 100, stream: true },
  '/chat/stream': { message: 'Go on.' },
};
const document = `data:application/pdf;base64,${rawPdf([greyPage(90), greyPage(180)]).toString('base64')}`;
const ocrJob = () => ({
  job_type: 'ocr',
  fresh: true,
  inline: {
    messages: [
      {
        role: 'user',
        content: [{ type: 'file', file: { filename: 'grey.pdf', file_data: document } }],
      },
    ],
  },
});

/** Whether a stream came whole. Resolves to that once it has begun. */
async function begin(target: Target, path: string): Promise<{ isWhole: Promise<boolean> }> {
  const response = await fetch(`${target.base_url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.api_key}` },
    body: JSON.stringify(streams[path]),
  }).catch(() => undefined);
  const reader = response?.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader?.read().catch(() => undefined);
  const rest = async () => {
    let text = first?.value ?? '';
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      text += read.value;
    }
    return response?.status === 200 && text.includes('The end');
  };
  return { isWhole: rest().catch(() => false) };
}

/** All that a key does at once, begun. What it came to is told in the end. */
async function work(target: Target) {
  const startedAt = performance.now();
  let isOver = false;
  const small = (async () => {
    const taken: number[] = [];
    let failed = 0;
    while (!isOver) {
      const beganAt = performance.now();
      const calls = [
        call(target, 'POST', '/v1/chat/completions', { model, messages, max_tokens: 1 }),
        call(target, 'POST', '/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hi' }),
      ];
      for (const each of await Promise.allSettled(calls)) {
        if (each.status === 'rejected' || each.value.status !== 200) failed += 1;
      }
      taken.push(performance.now() - beganAt);
      await pause(20);
    }
    const sorted = taken.sort((a, b) => a - b);
    return { failed, calls: 2 * taken.length, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
  })();
  const begun = await Promise.all(Object.keys(streams).map((path) => begin(target, path)));
  const jobs = [chatJob('one'), chatJob('two'), ocrJob()].map(async (job) => {
    for (;;) {
      const submitted = await submit(target, job).catch(() => undefined);
      if (submitted) return until(target, submitted.id);
      await pause(100);
    }
  });
  return async () => {
    const whole = await Promise.all(begun.map(({ isWhole }) => isWhole));
    // A job may run again a minute later; small calls are compared while all the rest is under way.
    isOver = true;
    const calls = await small;
    const ended = await Promise.all(jobs);
    const seconds = (performance.now() - startedAt) / 1000;
    return { whole: whole.filter(Boolean).length, calls, ended, seconds };
  };
}

/** The names of what runs beside the stage's own process, by their ids, the oldest first. */
function running(): Map<number, string> {
  const named = startedBy(stage.process.pid ?? 0).flatMap((pid): [number, string][] => {
    const line = commandLine(pid).split('\0').filter(Boolean);
    if (line.length === 0 || line[0] === '/bin/sh') return [];
    const ofFunction = line.findIndex((each) => each.endsWith('function-runtime.ts'));
    const file = line.find((each) => each.endsWith('-process.mjs'));
    const other = file ?? line[0] ?? '';
    return [
      [
        pid,
        (line[ofFunction + 1] && ofFunction >= 0
          ? line[ofFunction + 1]
          : other.split('/').at(-1)) ?? '',
      ],
    ];
  });
  return new Map(named.sort(([a], [b]) => a - b));
}

async function round(name: string | undefined) {
  const ofVictim = await work(victim);
  const ofNeighbour = await work(neighbour);
  await pause(800);
  const [pid] = [...running()].find(([, each]) => each === name) ?? [];
  if (pid) process.kill(pid, 'SIGKILL');
  const [own, others] = await Promise.all([ofVictim(), ofNeighbour()]);
  const { body } = await poll(
    () => call<{ budget: { held_usd: number } }>(neighbour, 'GET', '/user/limits'),
    (answer) => answer.body.budget.held_usd === 0,
  );
  const jobsOf = ({ ended }: typeof own) => {
    const done = ended.filter(({ status }) => status === 'done').length;
    const retries = ended.reduce((sum, each) => sum + each.retry_count, 0);
    return `${done}/${ended.length}, ${retries} retries`;
  };
  const side = (each: typeof own) => [
    `${each.whole}/4`,
    jobsOf(each),
    `${each.seconds.toFixed(0)} s`,
    `${each.calls.failed}/${each.calls.calls}`,
    `${each.calls.p99.toFixed(0)} ms`,
  ];
  const killed = name === undefined ? 'nothing' : pid ? name : `${name} (had ended)`;
  const cells = [killed, ...side(others), `$${body.budget.held_usd}`, ...side(own)];
  console.log(`| ${cells.join(' | ')} |`);
}

await round(undefined).catch(() => {});
const side = 'streams | jobs | all after | small calls failed | p99';
console.log(`| killed | another key: ${side} | held | its own: ${side} |`);
console.log(`|${'---|'.repeat(12)}`);
await round(undefined);
const wanted = process.argv.slice(2);
const names = new Set(running().values());
for (const name of names) {
  if (wanted.length === 0 || wanted.some((each) => name.includes(each))) await round(name);
}
const told = stage.lines.filter((line) => / ended /.test(line));
console.log(`\n${told.join('\n')}`);
console.log(`stage: ${stage.process.exitCode ?? stage.process.signalCode ?? 'lives'}`);
await stage.close();
process.exit();
