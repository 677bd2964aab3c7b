import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reach } from '../../lib/cli/target.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import type { Delivery } from '../../shared/webhooks/deliveries.ts';
import type { EventBody } from '../../shared/webhooks/event-body.ts';
import { ServedDocument } from '../openapi/served-document.ts';
import { call, chatJob } from '../support/servers/api.ts';
import { runCommand } from '../support/servers/command.ts';
import { useOwnStages } from '../support/servers/own-stages.ts';
import { poll } from '../support/servers/poll.ts';

interface Received {
  headers: Record<string, string>;
  body: string;
}

const received: Received[] = [];
const answers = { status: 200 };
const server = createServer(async (request, response) => {
  const headers = request.headers as Record<string, string>;
  received.push({ headers, body: await text(request) });
  response.writeHead(answers.status).end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => server.close());
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const stages = useOwnStages();
const dataDir = stages.newDataDir();
const start = () => stages.start({ dataDir, env: { QUIRE_WEBHOOK_ORIGIN: origin } });
let stage = await start();

interface Shown {
  id: string;
  api_key: string;
  webhook: { url: string; state: string; secret: string };
}

async function run<Answer>(program: 'keys' | 'teams', args: string[]): Promise<Answer> {
  const exit = await runCommand(program, dataDir, [...args, '--json', '--data', dataDir]);
  expect(exit.stderr).toBe('');
  return JSON.parse(exit.stdout) as Answer;
}

const keys = <Answer>(...args: string[]) => run<Answer>('keys', args);
const teams = <Answer>(...args: string[]) => run<Answer>('teams', args);

let key: Shown;
beforeAll(async () => {
  key = await keys(
    'create',
    '--name',
    'hooked',
    '--budget-usd',
    '10',
    '--webhook',
    `${origin}/hook`,
  );
});

const eventIn = ({ body }: Received) => JSON.parse(body) as EventBody;
const ofType = (type: string) => received.filter((each) => eventIn(each).type === type);
const firstOf = (type: string) =>
  poll(
    () => ofType(type)[0],
    (each) => each !== undefined,
  );

it('a job that ends is posted to the webhook of its key, and both libraries verify it', {
  tags: 'exhaustive',
}, async () => {
  const caller = { base_url: stage.base_url, api_key: key.api_key };
  const { body } = await call(caller, 'POST', '/batch/jobs', chatJob('Hello.'));

  const message = (await firstOf('job.done')) as Received;

  const openai = new OpenAI({ apiKey: 'none' });
  const verified = new Webhook(key.webhook.secret).verify(message.body, message.headers);
  const unwrapped = await openai.webhooks.unwrap(message.body, message.headers, key.webhook.secret);
  expect(verified).toEqual(unwrapped);
  expect(verified).toMatchObject({ object: 'event', type: 'job.done', data: { key_id: key.id } });
  const { data } = verified as { data: { id: string; path: string } };
  expect(data.id).toBe((body as { id: string }).id);
  expect((await call(caller, 'GET', data.path)).status).toBe(200);
});

it('a budget of which half is spent is posted too', { tags: 'exhaustive' }, async () => {
  await reach({ data: dataDir }, 'LEDGER_TABLE');
  const hold = await reserve(key.id, 6e9, { model: 'gpt-5', tags: ['chat'] });
  await settle(hold, { costNanoUsd: 6e9, figures: 'exact', promptTokens: 1, completionTokens: 1 });

  const message = (await firstOf('budget.reached')) as Received;

  expect(eventIn(message).data).toMatchObject({ account_id: key.id, percent: 50, max_usd: 10 });
});

it('all that was posted is as the OpenAPI document says', { tags: 'exhaustive' }, async () => {
  const served = await ServedDocument.of({ base_url: stage.base_url, api_key: key.api_key });

  const types = received.map((each) => eventIn(each).type);
  expect(new Set(types)).toEqual(new Set(['job.done', 'budget.reached']));
  for (const each of received) {
    const event = eventIn(each);
    const { post } = served.document.webhooks[event.type] ?? {};
    const { schema } = post?.requestBody.content['application/json'] ?? {};
    expect(served.errorsOf(schema, event, 'closed')).toEqual([]);
    const names = post?.parameters.map(({ name }) => name) ?? [];
    expect(Object.keys(each.headers)).toEqual(expect.arrayContaining(names));
  }
});

it('an operator sends a test, sees what came of it, and sends it again', {
  tags: 'exhaustive',
}, async () => {
  answers.status = 503;
  const failed = await keys<Delivery>('webhooks', key.id, '--test');
  const failing = await keys<Shown>('show', key.id);
  answers.status = 200;
  const sent = await keys<Delivery>('webhooks', key.id, '--redeliver', failed.id);
  const working = await keys<Shown>('show', key.id);
  const { deliveries } = await keys<{ deliveries: Delivery[] }>('webhooks', key.id);

  expect(failed).toMatchObject({ type: 'webhook.test', status: 'pending', last_error: 'http_503' });
  expect(failing.webhook).toMatchObject({ state: 'failing', url: `${origin}/hook` });
  expect(failing.webhook).not.toHaveProperty('secret');
  expect(sent).toMatchObject({ id: failed.id, status: 'delivered', tries: 2, last_error: null });
  expect(working.webhook.state).toBe('active');
  expect(deliveries.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'webhook.test delivered',
    'budget.reached delivered',
    'job.done delivered',
  ]);
  expect(ofType('webhook.test').map((each) => each.headers['webhook-id'])).toEqual([
    failed.id,
    failed.id,
  ]);
});

it("a team's webhook is told what two of its keys have spent, and does as a key's", {
  tags: 'exhaustive',
}, async () => {
  const team = await teams<Shown>(
    ...['create', '--name', 'hooked team', '--budget-usd', '10', '--webhook', `${origin}/team`],
  );
  for (const name of ['first', 'second']) {
    const { id } = await keys<Shown>('create', '--name', name, '--team', team.id);
    const hold = await reserve(id, 45e8, { model: 'gpt-5', tags: ['chat'] });
    await settle(hold, {
      costNanoUsd: 45e8,
      figures: 'exact',
      promptTokens: 1,
      completionTokens: 1,
    });
  }

  const isOfTeam = (each: Received) => JSON.stringify(eventIn(each).data).includes(team.id);
  const messages = await poll(
    () => ofType('budget.reached').filter(isOfTeam),
    (all) => all.length === 2,
  );
  const failed = await teams<Delivery>('webhooks', team.id, '--test');
  const again = await teams<Delivery>('webhooks', team.id, '--redeliver', failed.id);
  const listed = await teams<{ webhook: object; deliveries: Delivery[] }>('webhooks', team.id);
  const shown = await teams<Shown>('show', team.id);
  const moved = await teams<Shown>('set', team.id, '--webhook', `${origin}/other?token=abc`);
  const removed = await teams<Shown>('set', team.id, '--webhook', 'none');
  const text = await runCommand('teams', dataDir, ['history', team.id, '--data', dataDir]);

  expect(messages.map((each) => eventIn(each).data)).toMatchObject([
    { account_id: team.id, percent: 50, used_usd: 9 },
    { account_id: team.id, percent: 80, used_usd: 9 },
  ]);
  for (const { body, headers } of messages) {
    expect(new Webhook(team.webhook.secret).verify(body, headers)).toEqual(JSON.parse(body));
  }
  expect([failed.status, again.id, again.tries]).toEqual(['delivered', failed.id, 2]);
  expect(listed.webhook).toMatchObject({ url: `${origin}/team`, state: 'active' });
  expect(listed.deliveries.map(({ type }) => type)).toEqual([
    'webhook.test',
    'budget.reached',
    'budget.reached',
  ]);
  expect(shown.webhook).toMatchObject({ url: `${origin}/team` });
  expect(shown.webhook).not.toHaveProperty('secret');
  expect(moved.webhook.secret).not.toBe(team.webhook.secret);
  expect(removed).not.toHaveProperty('webhook');
  expect(text.stdout).toMatch(
    new RegExp(
      [
        `^.* changed .*\n  webhook: ${origin} → none\n\n`,
        `.* changed .*\n  webhook: ${origin} → ${origin} \\(set again, or with another path\\)\n\n`,
        `.* changed .*\n  webhook: none → ${origin}\n\n`,
        `.* created .*\n  budget_usd: \\$10\\.00\n  name: hooked team\n$`,
      ].join(''),
    ),
  );
  expect(text.stdout).not.toMatch(/whsec_|token=/);
});

it('nothing that came through comes again after the service was killed', {
  tags: 'exhaustive',
}, async () => {
  const caller = { base_url: stage.base_url, api_key: key.api_key };
  const before = received.length;
  await call(caller, 'POST', '/batch/jobs', chatJob('Hello again.'));
  await poll(
    () => received.length,
    (count) => count > before,
  );

  await stage.kill('SIGKILL');
  stage = await start();
  const { id } = await keys<Delivery>('webhooks', key.id, '--test');

  const ids = received.map((each) => each.headers['webhook-id']);
  expect(ids.at(-1)).toBe(id);
  const ofJobs = ofType('job.done').map((each) => (eventIn(each).data as { id: string }).id);
  expect(new Set(ofJobs).size).toBe(2);
  expect(new Set(ids).size).toBe(8);
});

it('an address that may not be asked is said to be one', { tags: 'exhaustive' }, async () => {
  const other = await keys<Shown>('create', '--name', 'inward', '--webhook', 'https://127.0.0.1/');

  const delivery = await keys<Delivery>('webhooks', other.id, '--test');

  expect(delivery).toMatchObject({ status: 'pending', last_error: 'forbidden_address' });
});

it.each([
  ['http://example.com/', 'an https:// address, or an http:// one of this machine'],
  ['https://user:pass@example.com/', 'an https:// address'],
  ['example.com', 'an https:// address'],
])('%s is refused as a webhook', async (url, said) => {
  const { code, stderr } = await runCommand('keys', dataDir, [
    ...['set', key.id, '--webhook', url, '--data', dataDir],
  ]);

  expect(code).toBe(1);
  expect(stderr).toContain(said);
});

it('prints in words what --json says', async () => {
  const run = async (...args: string[]) =>
    (await runCommand('keys', dataDir, [...args, '--data', dataDir])).stdout;

  const changed = await run('set', key.id, '--webhook', `${origin}/other`);
  const tested = await run('webhooks', key.id, '--test');
  const listed = await run('webhooks', key.id);
  const removed = await run('set', key.id, '--webhook', 'none');
  const shown = await run('show', key.id);

  expect(changed).toMatch(/The webhook's secret, which won't be shown again:\n\n {2}whsec_\S+\n$/);
  expect(tested).toMatch(/^evt_\S+ was delivered\.\n$/);
  expect(listed).toContain(`${origin}/other (active)`);
  expect(listed).toMatch(/^evt_\S+ +webhook\.test +delivered +1 +\d{4}-/m);
  for (const text of [listed, removed, shown]) expect(text).not.toContain('whsec_');
  for (const text of [removed, shown]) expect(text).not.toContain(origin);
});
