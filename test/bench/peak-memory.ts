import { fork } from 'node:child_process';
import { once } from 'node:events';
import { secretKeyEnvironment } from '../../lib/local/engines/client-config.ts';
import type { FunctionHost } from '../../lib/local/lambda/function-host.ts';
import { startCountedStage } from './counted-stage.ts';
import type { Peak, Task } from './peak-memory-process.ts';

// Measures how much memory a process takes in which `create-chat-completion` runs and nothing else, for the largest
// requests and answers: each ten times, one after the other, as in one sandbox of Lambda's.
// node test/bench/peak-memory.ts

const { stage, apiKey, close } = await startCountedStage();
const host = stage.functions.all.find(({ config }) => config.name === 'create-chat-completion');
if (!host) throw new Error('no function create-chat-completion');

/**
 * What Lambda's start script gives Node of 256 MB, by copies of it: a twentieth for each half of the young generation, and
 * nine tenths for the old one.
 */
const flags = ['--max-semi-space-size=12', '--max-old-space-size=230'];

const asked = (content: string) => [{ role: 'user', content }];
const withPicture = (megabytes: number, text: string) => [
  { role: 'system', content: '1 0' },
  {
    role: 'user',
    content: [
      { type: 'text', text },
      {
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${'A'.repeat(megabytes * 1e6)}` },
      },
    ],
  },
];
const stream = true;
// One character beyond Latin-1 makes each copy of a request twice as large. Lambda takes 6 MB.
const requests = [
  { title: 'a short answer', messages: asked('1 0') },
  { title: 'a picture of 3 MB', messages: withPicture(3, 'What is this?') },
  { title: 'the same, asked in Greek', messages: withPicture(3, 'Τι είναι;') },
  { title: 'a picture of 5.9 MB', messages: withPicture(5.9, 'What is this?') },
  { title: 'the same, asked in Greek', messages: withPicture(5.9, 'Τι είναι;') },
  { title: '20,000 chunks', messages: asked('20000 0'), stream },
  { title: 'the same, read slowly', messages: asked('20000 0'), stream, slow: true },
];
for (const { title, slow = false, ...request } of requests) {
  const event = await eventOf(host, request);
  const child = fork(new URL('./peak-memory-process.ts', import.meta.url), {
    execArgv: flags,
    env: { ...process.env, ...secretKeyEnvironment },
  });
  const config = { ...host.config, memoryMb: 256, maxProcesses: undefined };
  child.send({ id: 0, config, event, times: 10, slow } satisfies Task);
  const [{ status, startMb, peakMb }] = (await once(child, 'message')) as [Peak];
  child.disconnect();
  console.log(
    `${title.padEnd(26)} ${status}  ${peakMb.toFixed(0)} MB, ${startMb.toFixed(0)} of them without the function`,
  );
}
await close();
process.exit();

/** Sends a request to the stage. Returns the event by which the gateway invokes the function for it. */
async function eventOf(host: FunctionHost, request: object): Promise<unknown> {
  let event: unknown;
  const { invoke } = host;
  host.invoke = (given, ...rest) => {
    event = given;
    return invoke.call(host, given, ...rest);
  };
  const response = await fetch(`${stage.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'gpt-4o', max_tokens: 10_000, ...request }),
  });
  await response.text();
  host.invoke = invoke;
  if (!event) throw new Error(`the function was not invoked: ${response.status}`);
  return event;
}
