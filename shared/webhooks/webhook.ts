import { createHmac, randomBytes } from 'node:crypto';
import { getItem } from '../aws/dynamodb.ts';
import { asRead, type Clauses, expressUpdate, type PlaceValue } from '../aws/express-update.ts';
import { updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';

/** Where the events of an account are sent, and how that goes. Instants are ISO 8601 strings. */
export interface Webhook {
  /** The account's id: a key's, or a team's. */
  key_id: string;
  entry: 'webhook';
  url: string;
  /** The secret that signs messages. It is shown once, when it is made. */
  secret: string;
  created_at: string;
  /** When the first of the tries began that have all failed; absent while it works. And when the last one ended. */
  failing_since?: string;
  failed_at?: string;
  /** When and why nothing is sent there any more. */
  disabled_at?: string;
  disabled_because?: string;
}

/** A webhook as its operator sees it: without its secret, unless that was just made. */
export interface WebhookRecord {
  url: string;
  state: 'active' | 'failing' | 'disabled';
  failing_since: string | null;
  disabled_because: string | null;
  secret?: string;
}

/** Where an account's webhook lies in its table. */
export const webhookKey = (accountId: string) => ({ key_id: accountId, entry: 'webhook' }) as const;

/** Reads an account's webhook as it is now; undefined if it has none. */
export const findWebhook = (accountId: string) =>
  getItem<Webhook>(setting('WEBHOOKS_TABLE'), webhookKey(accountId));

/** Makes the record of a webhook. */
export function webhookRecord(webhook: Webhook): WebhookRecord {
  const { url, failing_since = null, disabled_at, disabled_because = null } = webhook;
  const state = disabled_at ? 'disabled' : failing_since ? 'failing' : 'active';
  return { url, state, failing_since, disabled_because };
}

/** Notes that all of some tries have failed, the first of which began at `since`. */
export const noteFailing = (webhook: Webhook, since: string) =>
  change(webhook, (value) => ({
    set: [
      `failing_since = if_not_exists(failing_since, ${value(since)})`,
      `failed_at = ${value(new Date().toISOString())}`,
    ],
  }));

/** Notes that a try has succeeded. */
export const noteWorking = (webhook: Webhook) =>
  change(webhook, () => ({ remove: ['failing_since', 'failed_at'] }));

/** Sends nothing to a webhook any more. Returns false if it was changed meanwhile, or is disabled already. */
export const disableWebhook = (webhook: Webhook, because: string) =>
  change(webhook, (value) => ({
    when: ['attribute_not_exists(disabled_at)'],
    set: [
      `disabled_at = ${value(new Date().toISOString())}`,
      `disabled_because = ${value(because)}`,
    ],
  }));

/** Changes a webhook, unless another has taken its place. */
async function change(webhook: Webhook, write: (value: PlaceValue) => Clauses): Promise<boolean> {
  const key = webhookKey(webhook.key_id);
  const update = expressUpdate(setting('WEBHOOKS_TABLE'), key, (value, name) => {
    const { when = [], ...changes } = write(value);
    return { when: [asRead(webhook, 'url', value, name('url')), ...when], ...changes };
  });
  return (await updateItem(update)) !== undefined;
}

const prefix = 'whsec_';

/** Makes a webhook's secret: `whsec_` and 256 random bits in base64, as Standard Webhooks has it. */
export const newWebhookSecret = () => `${prefix}${randomBytes(32).toString('base64')}`;

/**
 * Returns the headers that name, date and sign a message.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedHeaders(
  secret: string,
  id: string,
  body: string,
  now = Date.now(),
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
}
