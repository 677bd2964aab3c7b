import { beforeEach, describe, expect, it } from 'vitest';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { deliverEvents } from '../../shared/webhooks/deliver.ts';
import { listDeliveries, redeliver, sendTest } from '../../shared/webhooks/deliveries.ts';
import { type Event, newEvent, newEventId, noteEvent } from '../../shared/webhooks/event.ts';
import { removeWebhook, setWebhook } from '../../shared/webhooks/set-webhook.ts';
import { sweepEvents } from '../../shared/webhooks/sweep.ts';
import { findWebhook } from '../../shared/webhooks/webhook.ts';
import { cases } from '../support/run/cases.ts';
import { writtenLines } from '../support/run/output.ts';
import { dayMs, hourMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';
import { followStream } from '../support/worlds/stream-tail.ts';
import { newKeyId } from '../support/worlds/usage-world.ts';
import {
  deliverAll,
  eventsOf,
  hookKey,
  receiver,
  recordsOf,
} from '../support/worlds/webhook-world.ts';

const store = await useStore();
useStoppedClock();
beforeEach(() => store.renew());

const url = 'https://example.com/hook';

async function account(): Promise<string> {
  const id = newKeyId();
  await openAccount(id, new Date().toISOString(), defaultLimits);
  await hookKey(id, url);
  return id;
}

async function noted(accountId: string): Promise<string> {
  const event = newEvent(accountId, newEventId(), 'webhook.test', { account_id: accountId });
  await noteEvent(event);
  return event.entry;
}

async function only(accountId: string): Promise<Event> {
  const [event, ...others] = await eventsOf(accountId);
  if (!event || others.length > 0) throw new Error(`${others.length} events more, or none`);
  return event;
}

/**
 * Lets minutes pass until an account's next event is due, and sweeps, until something is sent or so much time is over.
 * Returns how much it was.
 */
async function waitFor(id: string, to: ReturnType<typeof receiver>, maxMs: number) {
  const sent = to.requests.length;
  const from = Date.now();
  const newRecords = followStream('WEBHOOKS_TABLE');
  await newRecords();
  while (Date.now() - from < maxMs && to.requests.length === sent) {
    const due = (await eventsOf(id)).flatMap(({ due_at }) => (due_at ? Date.parse(due_at) : []));
    const minutes = Math.ceil((Math.min(...due, from + maxMs) - Date.now()) / minuteMs);
    pass(Math.max(1, minutes) * minuteMs);
    await sweepEvents();
    await deliverEvents({ Records: await newRecords() }, (request) => to.post(request));
  }
  return Date.now() - from;
}

const status = (code: number) => receiver(() => ({ status: code }));

describe('an event', () => {
  it('is sent once, however often the stream tells of it', async () => {
    const id = await account();
    const event = await noted(id);
    const to = receiver();

    await Promise.all([deliverAll(to), deliverAll(to)]);
    await deliverAll(to);
    pass(hourMs);
    await sweepEvents();
    await deliverAll(to);

    expect(to.ids()).toEqual([event]);
    expect(to.requests[0]?.url).toBe(url);
    expect(await only(id)).toMatchObject({ status: 'delivered', tries: 1 });
    expect(await only(id)).not.toHaveProperty('due_at');
  });

  it('is sent again by the sweep if its sender died', async () => {
    const id = await account();
    const event = await noted(id);
    const to = receiver();
    const dead = deliverEvents({ Records: await recordsOf('WEBHOOKS_TABLE') }, () => {
      throw new Error('died');
    });
    await dead;

    await waitFor(id, to, 5 * minuteMs);

    expect(to.ids()).toEqual([event]);
    expect(await only(id)).toMatchObject({ status: 'delivered', tries: 2 });
  });

  it('is wanted again by the sweep if nobody was told of it', async () => {
    const id = await account();
    await noted(id);
    const to = receiver();
    await deliverEvents({ Records: [] }, (request) => to.post(request));
    const before = (await recordsOf('WEBHOOKS_TABLE')).length;
    pass(3 * minuteMs);

    await sweepEvents();
    const news = (await recordsOf('WEBHOOKS_TABLE')).slice(before);
    await deliverEvents({ Records: news }, (request) => to.post(request));

    expect(news).toHaveLength(1);
    expect(to.ids()).toHaveLength(1);
  });

  it.each([
    ['http_500', { status: 500 }],
    ['http_429', { status: 429 }],
    ['http_302', { status: 302 }],
    ['http_404', { status: 404 }],
    ['timeout', { error: 'timeout' }],
    ['unreachable', { error: 'unreachable' }],
    ['forbidden_address', { error: 'forbidden_address' }],
  ])(
    'that ends in %s is tried again a minute later, and then comes through',
    async (error, outcome) => {
      const id = await account();
      const event = await noted(id);
      const to = receiver(() => outcome);
      await deliverAll(to);
      const failed = await only(id);
      to.answer = () => ({ status: 200 });

      const waited = await waitFor(id, to, 10 * minuteMs);

      expect(failed).toMatchObject({ status: 'pending', tries: 1, last_error: error });
      expect(waited).toBeLessThanOrEqual(2 * minuteMs);
      expect(to.ids()).toEqual([event, event]);
      expect(await only(id)).toMatchObject({ status: 'delivered', tries: 2 });
      expect(await only(id)).not.toHaveProperty('last_error');
      expect(await findWebhook(id)).not.toHaveProperty('failing_since');
    },
  );

  it('is tried for a day at growing distances; then it has failed and the webhook is disabled', async () => {
    const id = await account();
    await noted(id);
    const to = status(503);
    await deliverAll(to);
    const waits: number[] = [];
    for (let over = 0; over < 1.2 * dayMs && !(await findWebhook(id))?.disabled_at; ) {
      const waited = await waitFor(id, to, 4 * hourMs);
      waits.push(waited);
      over += waited;
    }

    const total = waits.reduce((sum, each) => sum + each, 0);
    expect(total).toBeGreaterThanOrEqual(dayMs);
    expect(total).toBeLessThan(dayMs + 3 * hourMs);
    expect(waits.length).toBeGreaterThan(12);
    expect(waits.length).toBeLessThan(40);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2.5 * hourMs + minuteMs);
    expect(waits[0]).toBeLessThanOrEqual(2 * minuteMs);
    expect(await only(id)).toMatchObject({ status: 'failed', last_error: 'http_503' });
    expect((await findWebhook(id))?.disabled_because).toMatch(
      /^Nothing came through since .*Z: http_503\.$/,
    );
    const lines = writtenLines().map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'webhook disabled',
        key_id: id,
        host: 'example.com',
      }),
    );
  });

  it('alone that fails for a day disables nothing, where others come through', {
    tags: 'exhaustive',
  }, async () => {
    const id = await account();
    const bad = await noted(id);
    const to = receiver(({ messages }) => ({
      status: messages.some((each) => each.headers['webhook-id'] === bad) ? 500 : 200,
    }));
    const newRecords = followStream('WEBHOOKS_TABLE');
    const deliverNew = async () =>
      deliverEvents({ Records: await newRecords() }, (request) => to.post(request));
    await deliverNew();
    const from = Date.now();
    while (Date.now() - from < dayMs + 3 * hourMs) {
      await waitFor(id, to, cases(9, 1) * hourMs);
      await noted(id);
      await deliverNew();
    }

    const webhook = await findWebhook(id);
    const events = await eventsOf(id);
    expect(webhook).not.toHaveProperty('disabled_at');
    expect(events.find(({ entry }) => entry === bad)).toMatchObject({ status: 'failed' });
  });

  it('that is answered with 410 disables the webhook at once', async () => {
    const id = await account();
    await noted(id);
    const to = status(410);

    await deliverAll(to);
    await noted(id);
    await deliverAll(to);

    expect(await findWebhook(id)).toMatchObject({
      disabled_because: 'The receiver answered 410 Gone.',
    });
    expect((await eventsOf(id)).map((event) => [event.status, event.last_error])).toEqual([
      ['failed', 'http_410'],
      ['failed', 'webhook_disabled'],
    ]);
    expect(to.requests).toHaveLength(1);
  });
});

describe('a receiver that fails', () => {
  it('is asked once a minute, however many events there are, and gets all once it works', async () => {
    const id = await account();
    await noted(id);
    const to = receiver(() => ({ error: 'timeout' }));
    await deliverAll(to);
    for (let each = 0; each < 40; each += 1) await noted(id);

    await deliverAll(to);
    const atOnce = to.requests.length;
    await waitFor(id, to, 5 * minuteMs);
    const inTheMinute = to.requests.slice(atOnce).flatMap(({ messages }) => messages);
    to.answer = () => ({ status: 200 });
    const isPending = (event: Event) => event.status === 'pending';
    while ((await eventsOf(id)).some(isPending)) await waitFor(id, to, hourMs);

    expect(atOnce).toBe(1);
    expect(inTheMinute).toHaveLength(1);
    const events = await eventsOf(id);
    expect(events).toHaveLength(41);
    expect(new Set(events.map((event) => event.status))).toEqual(new Set(['delivered']));
  });

  it("holds up no other key's events", async () => {
    const [bad, good] = [await account(), await account()];
    await setWebhook(bad, 'https://slow.example.com/');
    const failing = [await noted(bad), await noted(bad)];
    const event = await noted(good);
    const to = receiver((request) =>
      request.url === url ? { status: 200 } : { error: 'timeout' },
    );

    await deliverAll(to);

    expect(to.ids().toSorted()).toEqual([...failing, event].toSorted());
    expect(await only(good)).toMatchObject({ status: 'delivered' });
  });
});

describe('an operator', () => {
  it('sends a test, and lists the latest events first', async () => {
    const id = await account();
    const first = await noted(id);
    pass(1_000);
    const { entry } = await sendTest(id);
    await deliverAll(receiver());

    expect(await listDeliveries(id, 20)).toMatchObject([
      { id: entry, type: 'webhook.test', status: 'delivered', tries: 1, next_try_at: null },
      { id: first, last_error: null },
    ]);
    expect(await listDeliveries(id, 1)).toHaveLength(1);
  });

  it('sends an event once more, with its own id and body, whatever became of it', async () => {
    const id = await account();
    const event = await noted(id);
    const to = status(200);
    await deliverAll(to);

    await redeliver(id, event);
    await deliverAll(to);

    const [before, after] = to.requests.map(({ messages }) => messages[0]);
    expect(after?.body).toBe(before?.body);
    expect(to.ids()).toEqual([event, event]);
    expect(await only(id)).toMatchObject({ status: 'delivered', tries: 2 });
  });

  it('has a test sent at once, though the receiver fails', async () => {
    const id = await account();
    await noted(id);
    const to = status(500);
    await deliverAll(to);

    const { entry } = await sendTest(id);
    await deliverAll(to);

    expect(to.ids()).toHaveLength(2);
    expect(to.ids()[1]).toBe(entry);
  });

  it('can send nothing to a webhook that is disabled, until it is set again with its secret', async () => {
    const id = await account();
    const event = await noted(id);
    await deliverAll(status(410));
    const secret = (await findWebhook(id))?.secret;

    await expect(redeliver(id, event)).rejects.toThrow(
      `The webhook of ${id} is disabled: set it again with --webhook ${url}.`,
    );
    expect(await setWebhook(id, url)).toEqual({
      ...{ url, state: 'active', failing_since: null, disabled_because: null },
    });
    await redeliver(id, event);
    const to = status(200);
    await deliverAll(to);

    expect(to.ids()).toEqual([event]);
    expect((await findWebhook(id))?.secret).toBe(secret);
  });

  it('gets a new secret with a new address alone, and can remove the webhook', async () => {
    const id = await account();
    const old = (await findWebhook(id))?.secret;

    const { secret } = await setWebhook(id, 'https://example.com/other');
    await noted(id);
    await removeWebhook(id);
    const to = receiver();
    await deliverAll(to);

    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(old);
    expect(to.requests).toEqual([]);
    expect(await only(id)).toMatchObject({ status: 'failed', last_error: 'no_webhook' });
    await expect(sendTest(id)).rejects.toThrow(`${id} has no webhook.`);
  });

  it.each(['evt_unknown', 'webhook', 'reached_0_1_50'])('can send no %s', async (event) => {
    const id = await account();

    await expect(redeliver(id, event)).rejects.toThrow(`${id} has no event ${event}.`);
  });
});

it('neither the log nor what is listed has a secret, or a path of the address', async () => {
  const id = await account();
  await setWebhook(id, 'https://example.com/path-of-its-own?token=abc');
  await noted(id);
  await deliverAll(status(500));

  const told = [...writtenLines(), JSON.stringify(await listDeliveries(id, 20))].join('\n');
  expect(told).toContain('"message":"event sent"');
  expect(told).not.toMatch(/whsec_|path-of-its-own|token=/);
});
