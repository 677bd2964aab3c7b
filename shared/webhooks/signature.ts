import { createHmac, randomBytes } from 'node:crypto';

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
