import { afterAll, beforeEach, expect, it } from 'vitest';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { deliverEvents } from '../../shared/webhooks/deliver.ts';
import { findListener, newEvent, newEventId, noteEvent } from '../../shared/webhooks/event.ts';
import { sweepEvents } from '../../shared/webhooks/sweep.ts';
import { useJsonServer } from '../support/servers/json-server.ts';
import { minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';
import { newKeyId } from '../support/worlds/usage-world.ts';
import {
  deliverAll,
  eventsOf,
  hookKey,
  receiver,
  recordsOf,
} from '../support/worlds/webhook-world.ts';

interface Entry {
  Source: string;
  DetailType: string;
  Detail: string;
}

const put: Entry[] = [];
const bus = { refuses: false };
const { url } = await useJsonServer((_request, body) => {
  const { Entries } = body as { Entries: Entry[] };
  if (!bus.refuses) put.push(...Entries);
  return {
    body: {
      FailedEntryCount: bus.refuses ? Entries.length : 0,
      Entries: Entries.map((_, index) =>
        bus.refuses ? { ErrorCode: 'ThrottlingException' } : { EventId: String(index) },
      ),
    },
  };
});
const store = await useStore();
useStoppedClock();
beforeEach(async () => {
  await store.renew();
  put.length = 0;
  bus.refuses = false;
});
process.env['AWS_ENDPOINT_URL_EVENTBRIDGE'] = url;
process.env['EVENT_SOURCE'] = 'quire-test';
afterAll(() => {
  delete process.env['EVENT_SOURCE'];
});

async function noted(
  accountId: string,
  type: 'budget.reached' | 'webhook.test' = 'budget.reached',
) {
  const data = { account_id: accountId } as never;
  const event = newEvent(accountId, newEventId(), type, data);
  await noteEvent(event);
  return event;
}

async function hooked(): Promise<string> {
  const id = newKeyId();
  await openAccount(id, new Date().toISOString(), defaultLimits);
  await hookKey(id, 'https://example.com/');
  return id;
}

it('events of a key without a webhook go to the event bus alone', async () => {
  const id = newKeyId();
  const events = [
    await noted(id),
    ...(await Promise.all(Array.from({ length: 11 }, () => noted(id)))),
  ];
  const to = receiver();

  await deliverAll(to);
  await deliverAll(to);

  expect(await findListener(id)).toEqual({});
  expect(put.map(({ Detail }) => Detail).toSorted()).toEqual(
    events.map(({ body }) => body).toSorted(),
  );
  expect(put[0]).toMatchObject({ Source: 'quire-test', DetailType: 'budget.reached' });
  expect(new Set((await eventsOf(id)).map(({ status }) => status))).toEqual(new Set(['published']));
  expect(to.requests).toEqual([]);
});

it('an event goes to the bus once, however often its webhook is tried', async () => {
  const id = await hooked();
  await noted(id);
  const to = receiver(() => ({ status: 500 }));
  await deliverAll(to);
  to.answer = () => ({ status: 200 });
  pass(5 * minuteMs);
  await sweepEvents();
  await deliverAll(to);

  expect(put).toHaveLength(1);
  expect(to.requests).toHaveLength(2);
  expect(await eventsOf(id)).toMatchObject([{ status: 'delivered', published: true }]);
});

it('an event that the bus refuses is put there a minute later', async () => {
  const id = await hooked();
  await noted(id);
  const to = receiver();
  bus.refuses = true;
  await deliverAll(to);
  const refused = await eventsOf(id);
  bus.refuses = false;
  pass(2 * minuteMs);
  await sweepEvents();
  const records = await recordsOf('WEBHOOKS_TABLE');
  await deliverEvents({ Records: records.slice(-1) }, (request) => to.post(request));

  expect(refused).toMatchObject([{ status: 'pending', tries: 0 }]);
  expect(put).toHaveLength(1);
  expect(await eventsOf(id)).toMatchObject([{ status: 'delivered' }]);
});

it('a test goes to the webhook alone', async () => {
  const id = await hooked();
  await noted(id, 'webhook.test');
  const to = receiver();

  await deliverAll(to);

  expect(put).toEqual([]);
  expect(to.requests).toHaveLength(1);
});
