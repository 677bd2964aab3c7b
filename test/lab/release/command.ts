// node test/lab/release/command.ts writes test/fixtures/release: what a release stores, with a job that ended, and a chat
// and a job under way. Run it once for each release, before its version is raised.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { issueKey } from '../../../shared/keys/key.ts';
import { defaultLimits } from '../../../shared/keys/key-limits.ts';
import { call, chatJob, read, submit, until } from '../../support/servers/api.ts';
import { newCaller } from '../../support/servers/new-caller.ts';
import { startTestStage } from '../../support/servers/stage.ts';
import { apiKey, fixtureUrl, itemsIn, tables } from './stored.ts';

const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
const message = { role: 'assistant', content: 'The valves were replaced.' };
const answer = JSON.stringify({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-4o', usage },
  choices: [{ index: 0, message, finish_reason: 'stop' }],
});
let waiting = 0;
const model = createServer(async (request, response) => {
  if ((await text(request)).includes('wait')) waiting += 1;
  else response.setHeader('content-type', 'application/json').end(answer);
}).listen(0, '127.0.0.1');
await once(model, 'listening');
const OPENAI_BASE_URL = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
const stage = await startTestStage({ memory: true, env: { OPENAI_BASE_URL, OPENAI_API_KEY: 'a' } });
await newCaller(stage);
const { id: keyId } = await issueKey('release', { ...defaultLimits, budget_usd: 10 }, apiKey);
const caller = { base_url: stage.base_url, api_key: apiKey };

const done = await submit(caller, chatJob('When were the valves replaced?', { model: 'gpt-4o' }));
await until(caller, done.id);
const waits = await submit(caller, chatJob('Please wait.', { model: 'gpt-4o' }));
await until(caller, waits.id, ({ status }) => status === 'processing');
const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'wait' }] };
call(caller, 'POST', '/v1/chat/completions', body).catch(() => {});
while (waiting < 2 || (await read(caller, waits.id)).status !== 'processing') {
  await new Promise((resolve) => setTimeout(resolve, 100));
}

const stored = await Promise.all(
  tables.map(async (table) => {
    const items = await itemsIn(String(stage.outputs[table]));
    return [
      table,
      items.filter(
        ({ entry, ...item }) => entry === 'schema' || JSON.stringify(item).includes(keyId),
      ),
    ];
  }),
);
writeFileSync(fixtureUrl, `${JSON.stringify(Object.fromEntries(stored), null, 1)}\n`);
await stage.close();
model.closeAllConnections();
model.close();
