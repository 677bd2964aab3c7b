import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { messageStream } from '../support/servers/message-stub.ts';
import { streamOf } from '../support/servers/model-stub-pieces.ts';
import { messageItem, responseStream } from '../support/servers/responses-stub.ts';
import { startTestStage } from '../support/servers/stage.ts';

const help = `Measures the time to the first streamed byte in each dialect, on an upstream of each dialect, in one run:
what passes through beside what is translated. Ratios are to chat completions that pass through. Beside another
release, both are asked in turns, and the last column says how much later the first byte comes.

  [QUIRE_BENCH_ROOT=<checkout>] node test/bench/dialects.ts [requests]`;

if (process.argv[2] === '--help') {
  console.log(help);
  process.exit();
}
const times = Number(process.argv[2] ?? 200);

const text = 'word '.repeat(20);
const answers: Record<string, string> = {
  chat: streamOf(text.split(/(?<= )/), [10, 20]).join(''),
  responses: responseStream([messageItem(text)]).join(''),
  messages: messageStream([{ type: 'text', text }]).join(''),
};
const says = [{ role: 'user', content: 'hi' }];
const callers: Record<string, { path: string; body: object }> = {
  chat: { path: '/v1/chat/completions', body: { messages: says, max_tokens: 100 } },
  responses: { path: '/v1/responses', body: { input: says, max_output_tokens: 100 } },
  messages: { path: '/v1/messages', body: { messages: says, max_tokens: 100 } },
};

const upstream = createServer(async (request, response) => {
  await json(request);
  const [, dialect = ''] = (request.url ?? '').split('/');
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answers[dialect]);
});
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
const { port } = upstream.address() as AddressInfo;

const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'));
const catalogue = join(folder, 'catalogue.json');
const dialects = Object.keys(answers);
writeFileSync(
  catalogue,
  JSON.stringify({
    defaults: { chat: 'chat', ocr: 'textract' },
    ocrEngines: [{ id: 'textract', features: [], usdPerPage: 0.0015 }],
    upstreams: Object.fromEntries(
      dialects.map((dialect) => [
        dialect,
        {
          ...{ baseUrl: `http://127.0.0.1:${port}/${dialect}`, secret: 'bench' },
          dialects: [dialect],
        },
      ]),
    ),
    models: dialects.map((id) => ({
      ...{ id, upstreams: [{ upstream: id, model: id }], contextWindow: 100_000 },
      ...{ maxOutputTokens: 1_000, usdPerMillionTokens: { input: 1, output: 10 } },
    })),
  }),
);
const other = process.env['QUIRE_BENCH_ROOT'];
const start = (sourceRoot?: string) =>
  startTestStage({
    memory: true,
    ...(sourceRoot && { sourceRoot }),
    env: { QUIRE_CATALOGUE: catalogue, BENCH_API_KEY: 'bench' },
  });
const stages = [await start(), ...(other ? [await start(other)] : [])];
type Stage = (typeof stages)[number];

/** Asks once, and reads the answer. Returns the ms to its first byte. */
async function ask(stage: Stage, caller: string, model: string): Promise<number> {
  const { path, body } = callers[caller] ?? { path: '', body: {} };
  const startedAt = performance.now();
  const response = await fetch(`${stage.base_url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, ...body }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  let first = 0;
  for await (const _ of response.body ?? []) first ||= performance.now() - startedAt;
  return first;
}

const pairs = dialects.flatMap((caller) =>
  dialects.map((model) => ({ caller, model, ms: stages.map((): number[] => []) })),
);
const askAll = async ({ caller, model, ms }: (typeof pairs)[number]) => {
  for (const [n, stage] of stages.entries()) ms[n]?.push(await ask(stage, caller, model));
};
// The first ones compile. In turn, so that what else the machine does meets all alike.
for (const pair of pairs) for (let n = 0; n < 30; n++) await askAll(pair);
for (const pair of pairs) pair.ms = stages.map(() => []);
for (let n = 0; n < times; n++) for (const pair of pairs) await askAll(pair);

const median = (values: number[] = []) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const chat = median(pairs[0]?.ms[0]);
console.log(`caller     upstream   p50 ms   to chat${other ? '   other ms   later ms' : ''}`);
for (const { caller, model, ms } of pairs) {
  const [p50, before] = [median(ms[0]), median(ms[1])];
  const beside = [before, p50 - before].map((each) => each.toFixed(1).padStart(11)).join('');
  console.log(
    `${caller.padEnd(10)} ${model.padEnd(10)} ${p50.toFixed(1).padStart(6)}   ${(p50 / chat).toFixed(2).padStart(7)}${other ? beside : ''}`,
  );
}
for (const stage of stages) await stage.close();
upstream.close();
rmSync(folder, { recursive: true });
