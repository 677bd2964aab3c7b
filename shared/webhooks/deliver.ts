import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { invokeFunction } from '../aws/lambda.ts';
import { setting } from '../config.ts';
import { errorFields, log } from '../log.ts';
import type { PostOutcome, PostRequest } from '../pages/post.ts';
import { type Event, publishesEvents } from './event.ts';
import { claim, endUntried, noteTry, putOff } from './event-writes.ts';
import { publish } from './publish.ts';
import {
  disableWebhook,
  findWebhook,
  noteFailing,
  noteWorking,
  signedHeaders,
  type Webhook,
} from './webhook.ts';

const minuteMs = 60_000;
const giveUpMs = 24 * 60 * minuteMs;
/** The shortest and longest wait between two tries. */
const [minWaitMs, maxWaitMs] = [minuteMs, 120 * minuteMs];

/** Has messages posted; outcomes come in their order. */
export type Post = (request: PostRequest) => Promise<PostOutcome[]>;

/** Longer than any message takes, and shorter than this function's time. */
const postTimeoutMs = 25_000;

const postByFunction: Post = (request) =>
  invokeFunction(setting('POST_WEBHOOK_FUNCTION'), request, postTimeoutMs);

/** Sends a batch of wanted events. What fails stays pending for the sweep: the stream never waits for a receiver. */
export async function deliverEvents(
  { Records }: DynamoDBStreamEvent,
  post = postByFunction,
): Promise<DynamoDBBatchResponse> {
  const keys = Records.flatMap(({ dynamodb }) => {
    const { key_id, entry, wanted } = dynamodb?.NewImage ?? {};
    return wanted ? [{ key_id: key_id?.S ?? '', entry: entry?.S ?? '' }] : [];
  });
  const byAccount = Map.groupBy(keys, ({ key_id }) => key_id);
  await Promise.all(
    [...byAccount].map(async ([accountId, of]) => {
      try {
        const claimed = await Promise.all(of.map(claim));
        const events = claimed.filter((event) => event !== undefined);
        if (events.length > 0) await deliver(accountId, events, post);
      } catch (error) {
        log('error', 'events not sent', { key_id: accountId, ...errorFields(error) });
      }
    }),
  );
  return { batchItemFailures: [] };
}

async function deliver(accountId: string, claimed: Event[], post: Post): Promise<void> {
  const events = await published(claimed);
  const webhook = await findWebhook(accountId);
  if (!webhook || webhook.disabled_at) {
    await Promise.all(events.map((event) => endWithout(event, webhook)));
  } else if (webhook.failing_since && webhook.failed_at) {
    await probe(
      { ...webhook, failing_since: webhook.failing_since },
      webhook.failed_at,
      events,
      post,
    );
  } else {
    await send(webhook, events, post);
  }
}

/** Publishes events that the event bus lacks. Returns the events that it has now; the others wait a minute. */
async function published(events: Event[]): Promise<Event[]> {
  if (!publishesEvents()) return events;
  const refused = await publish(events.filter((event) => !event.published && !isTest(event)));
  await Promise.all(refused.map((event) => putOff(event, minuteMs)));
  return events.filter((event) => !refused.includes(event));
}

const isTest = ({ type }: Event) => type === 'webhook.test';

function endWithout(event: Event, webhook: Webhook | undefined) {
  if (webhook) return endUntried(event, 'failed', 'webhook_disabled');
  return publishesEvents() && !isTest(event)
    ? endUntried(event, 'published')
    : endUntried(event, 'failed', 'no_webhook');
}

/**
 * Sends one event a minute to a failing webhook, and any that an operator asked for; the others once one succeeds.
 * So a failing webhook holds up no other key.
 */
async function probe(
  webhook: Webhook & { failing_since: string },
  failedAt: string,
  events: Event[],
  post: Post,
): Promise<void> {
  const asked = events.filter((event) => event.asked);
  const isTime = Date.now() - Date.parse(failedAt) >= minuteMs;
  const first = asked.length > 0 ? asked : isTime ? events.slice(0, 1) : [];
  const others = events.filter((event) => !first.includes(event));
  if (first.length > 0 && (await send(webhook, first, post))) {
    if (others.length > 0) await send(webhook, others, post);
    return;
  }
  await Promise.all(others.map((event) => putOff(event, waitMs(webhook.failing_since))));
}

/** Sends events at once, and writes down what came of each. Returns whether any came through. */
async function send(webhook: Webhook, events: Event[], post: Post): Promise<boolean> {
  const at = new Date().toISOString();
  const outcomes = await tryToPost(webhook, events, post);
  const errors = events.map((_, index) => errorOf(outcomes[index] ?? { error: 'unreachable' }));
  const works = errors.includes(undefined);
  const isGone = outcomes.some((outcome) => 'status' in outcome && outcome.status === 410);
  logTries(webhook, events, errors);

  if (isGone) await disable(webhook, 'The receiver answered 410 Gone.');
  else if (works && webhook.failing_since) await noteWorking(webhook);
  else if (!works) await noteFailing(webhook, at);
  await Promise.all(
    events.map((event, index) => noteOutcome(webhook, event, at, errors[index], isGone)),
  );
  return works && !isGone;
}

async function tryToPost(webhook: Webhook, events: Event[], post: Post): Promise<PostOutcome[]> {
  try {
    const messages = events.map(({ entry, body }) => ({
      headers: signedHeaders(webhook.secret, entry, body),
      body,
    }));
    return await post({ url: webhook.url, messages });
  } catch (error) {
    log('warn', 'events not posted', { key_id: webhook.key_id, ...errorFields(error) });
    return events.map(() => ({ error: 'unreachable' }));
  }
}

/** Why a try failed; undefined if it didn't. */
function errorOf(outcome: PostOutcome): string | undefined {
  if ('error' in outcome) return outcome.error;
  return outcome.status >= 200 && outcome.status < 300 ? undefined : `http_${outcome.status}`;
}

async function noteOutcome(
  webhook: Webhook,
  event: Event,
  at: string,
  error: string | undefined,
  isGone: boolean,
): Promise<void> {
  if (!error) {
    await noteTry(event, { at, status: 'delivered' });
    return;
  }
  const firstAt = event.first_try_at ?? at;
  const isOver = Date.now() - Date.parse(firstAt) >= giveUpMs;
  const retry = { waitMs: waitMs(firstAt) };
  await noteTry(event, { at, error, ...(isGone || isOver ? { status: 'failed' } : retry) });
  // Nothing has come through since its first try.
  if (isOver && webhook.failing_since && webhook.failing_since <= firstAt) {
    await disable(webhook, `Nothing came through since ${webhook.failing_since}: ${error}.`);
  }
}

/** Half as long as it has failed so far, with jitter, so that those that failed together don't come back together. */
function waitMs(since: string): number {
  const half = (Date.now() - Date.parse(since)) / 2;
  return Math.min(maxWaitMs, Math.max(minWaitMs, half)) * (0.75 + Math.random() / 2);
}

async function disable(webhook: Webhook, because: string): Promise<void> {
  if (!(await disableWebhook(webhook, because))) return;
  log('warn', 'webhook disabled', { key_id: webhook.key_id, host: hostOf(webhook), because });
}

function logTries(webhook: Webhook, events: Event[], errors: (string | undefined)[]): void {
  const { key_id } = webhook;
  const host = hostOf(webhook);
  for (const [index, { entry: event, type, tries }] of events.entries()) {
    const outcome = errors[index] ?? 'delivered';
    log('info', 'event sent', { key_id, event, type, host, tries: tries + 1, outcome });
  }
}

const hostOf = ({ url }: Webhook) => URL.parse(url)?.host;
