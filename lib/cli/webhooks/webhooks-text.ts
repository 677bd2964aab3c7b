import type { Delivery } from '../../../shared/webhooks/deliveries.ts';
import type { WebhookRecord } from '../../../shared/webhooks/webhook.ts';
import { aligned, minuteOf } from '../text.ts';

/** The line of a key or team about its webhook; none if it has none. */
export const webhookRows = (webhook: WebhookRecord | undefined): string[][] =>
  webhook ? [['webhook', `${webhook.url} (${stateOf(webhook)})`]] : [];

/** Shows the secret of a webhook that was just made, as an end to what else is shown. */
export const webhookSecret = (webhook: WebhookRecord | undefined): string =>
  webhook?.secret
    ? `\n\nThe webhook's secret, which won't be shown again:\n\n  ${webhook.secret}`
    : '';

/** Describes a webhook's state in a few words. */
function stateOf({ state, failing_since, disabled_because }: WebhookRecord): string {
  if (state === 'disabled') return `disabled: ${disabled_because}`;
  return failing_since ? `failing since ${minuteOf(failing_since)}` : 'active';
}

/** Lists the events of a webhook, one line for each. */
export function tabulateDeliveries(
  webhook: WebhookRecord | undefined,
  deliveries: readonly Delivery[],
): string {
  const title = webhook ? `${webhook.url} (${stateOf(webhook)})` : 'There is no webhook.';
  if (deliveries.length === 0) return `${title}\nNothing was sent in the last 30 days.`;
  const rows = deliveries.map((delivery) => [
    delivery.id,
    delivery.type,
    delivery.status,
    String(delivery.tries),
    minuteOf(delivery.created_at),
    delivery.next_try_at ? minuteOf(delivery.next_try_at) : '',
    delivery.last_error ?? '',
  ]);
  const head = ['id', 'type', 'status', 'tries', 'created', 'next try', 'last error'];
  return `${title}\n\n${aligned([head, ...rows])}`;
}

/** Describes the outcome of an event that a program has just sent. */
export function describeTry({ id, status, last_error }: Delivery, program: string): string {
  if (status === 'delivered') return `${id} was delivered.`;
  if (last_error) {
    return `${id} was not delivered: ${last_error}.${status === 'pending' ? ' It will be tried again.' : ''}`;
  }
  return `${id} is not sent yet: npm run ${program} -- webhooks shows the outcome.`;
}
