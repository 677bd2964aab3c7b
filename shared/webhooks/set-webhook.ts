import { setting } from '../config.ts';
import { type KeyChange, writeChange } from '../keys/history.ts';
import { readAccountOwner } from '../keys/team.ts';
import { watchAccount } from '../ledger/watch.ts';
import {
  findWebhook,
  newWebhookSecret,
  type Webhook,
  type WebhookRecord,
  webhookKey,
  webhookRecord,
} from './webhook.ts';

/**
 * Sends a key's or team's events to a URL from now on, with `by` in its history. Returns the webhook, with a new
 * secret alone: the same URL keeps its secret, and is enabled again. Throws `NotFoundError`.
 */
export async function setWebhook(
  accountId: string,
  url: string,
  by: KeyChange['by'] = null,
): Promise<WebhookRecord> {
  const { before, after } = await replace(accountId, by, (old) => webhookAt(accountId, url, old));
  await watchAccount(accountId, true);
  const isNew = before?.secret !== after.secret;
  return { ...webhookRecord(after), ...(isNew && { secret: after.secret }) };
}

/** Sends the events of a key or team nowhere. Throws `NotFoundError` if there is no such key or team. */
export async function removeWebhook(accountId: string, by: KeyChange['by'] = null): Promise<void> {
  await watchAccount(accountId, false);
  await replace(accountId, by, () => undefined);
}

function webhookAt(accountId: string, url: string, before: Webhook | undefined): Webhook {
  const isSame = before?.url === url;
  return {
    ...webhookKey(accountId),
    url,
    secret: isSame ? before.secret : newWebhookSecret(),
    created_at: isSame ? before.created_at : new Date().toISOString(),
  };
}

/** Puts another webhook, or none, in the place of an account's, and returns both. */
async function replace<After extends Webhook | undefined>(
  accountId: string,
  by: KeyChange['by'],
  choose: (before: Webhook | undefined) => After,
): Promise<{ before: Webhook | undefined; after: After }> {
  for (;;) {
    // Read first: a later setting of the webhook changes the holder too, so that this write fails.
    const holder = await readAccountOwner(accountId);
    const before = await findWebhook(accountId);
    const after = choose(before);
    if (!before && !after) return { before, after };
    const change = {
      by,
      action: 'changed' as const,
      fields: { webhook: { old: originOf(before), new: originOf(after) } },
    };
    if (await writeChange(holder, {}, change, writeOf(accountId, after))) return { before, after };
  }
}

function writeOf(accountId: string, webhook: Webhook | undefined) {
  const TableName = setting('WEBHOOKS_TABLE');
  return webhook
    ? { Put: { TableName, Item: webhook } }
    : { Delete: { TableName, Key: webhookKey(accountId) } };
}

/** The part of an address that the history keeps: its path and query may be secret. */
const originOf = (webhook: Webhook | undefined) => (webhook ? new URL(webhook.url).origin : null);
