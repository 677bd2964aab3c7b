import { readAccountOwner } from '../../../shared/keys/team.ts';
import {
  listDeliveries,
  redeliver,
  sendTest,
  whenTried,
} from '../../../shared/webhooks/deliveries.ts';
import { removeWebhook, setWebhook } from '../../../shared/webhooks/set-webhook.ts';
import {
  findWebhook,
  type WebhookRecord,
  webhookRecord,
} from '../../../shared/webhooks/webhook.ts';
import type { Arguments } from '../arguments.ts';
import { CommandError, type Option } from '../command-line.ts';
import type { Outcome } from '../run.ts';
import { reach, type Target, whoRuns } from '../target.ts';
import { describeTry, tabulateDeliveries } from './webhooks-text.ts';

/** The options of the command `webhooks`, of keys and of teams. */
export const webhookOptions = {
  test: ['', 'send an event that says nothing'],
  redeliver: ['EVENT', 'send this event once more'],
} as const satisfies Record<string, Option>;

/** Finds the webhook of a key or team, if it has one. */
export async function webhookOf(
  id: string,
  target: Target,
  outputs: Record<string, string>,
): Promise<WebhookRecord | undefined> {
  if (!outputs['WebhooksTable']) return undefined;
  await reach(target, 'WEBHOOKS_TABLE');
  const webhook = await findWebhook(id);
  return webhook && webhookRecord(webhook);
}

/** Sets the webhook of a key or team, or removes it, or with no URL leaves it. Returns the one that it then has. */
export async function changeWebhook(
  id: string,
  url: string | null | undefined,
  target: Target,
  outputs: Record<string, string>,
): Promise<WebhookRecord | undefined> {
  if (url === undefined) return webhookOf(id, target, outputs);
  await reach(target, 'WEBHOOKS_TABLE');
  const by = await whoRuns(target);
  if (url !== null) return setWebhook(id, url, by);
  await removeWebhook(id, by);
  return undefined;
}

/** Runs `webhooks` of keys or teams: lists what a webhook was sent, sends an event again, or sends a test. */
export async function runWebhooks(
  program: 'keys' | 'teams',
  { id, values, flags }: Arguments<string>,
): Promise<Outcome> {
  const { redeliver: event } = values;
  if (event && flags.has('test')) {
    throw new CommandError('--test and --redeliver each send an event: give one of them.');
  }
  await reach(values, 'KEYS_TABLE', 'WEBHOOKS_TABLE');
  await readAccountOwner(id);
  if (event || flags.has('test')) {
    const tries = event ? await redeliver(id, event) : await sendTest(id);
    const delivery = await whenTried(tries);
    return { json: delivery, text: describeTry(delivery, program) };
  }
  const [webhook, deliveries] = await Promise.all([findWebhook(id), listDeliveries(id, 20)]);
  const record = webhook && webhookRecord(webhook);
  return {
    json: { webhook: record ?? null, deliveries },
    text: tabulateDeliveries(record, deliveries),
  };
}
