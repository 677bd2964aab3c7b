import OpenAI from 'openai';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newEvent, newEventId } from '../../shared/webhooks/event.ts';
import { newWebhookSecret, signedHeaders } from '../../shared/webhooks/webhook.ts';

const secret = newWebhookSecret();
const id = newEventId();
const { body } = newEvent('key_a', id, 'webhook.test', { account_id: 'key_a – ü' });
const openai = new OpenAI({ apiKey: 'none', webhookSecret: secret });

describe('a message', () => {
  it('is verified by standardwebhooks', () => {
    const headers = signedHeaders(secret, id, body);

    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it("is unwrapped by OpenAI's own client", async () => {
    const event = await openai.webhooks.unwrap(body, signedHeaders(secret, id, body));

    expect(event).toMatchObject({ id, object: 'event', type: 'webhook.test' });
  });

  it.each([
    ['body', { sent: `${body} ` }],
    ['id', { headers: { 'webhook-id': newEventId() } }],
    ['secret', { by: newWebhookSecret() }],
    ['time, past the five minutes that both allow', { at: Date.now() - 301_000 }],
  ])(
    'with another %s is refused by both',
    async (_, { sent = body, headers = {}, by = secret, at = Date.now() }: Spoilt) => {
      const signed = { ...signedHeaders(by, id, body, at), ...headers };

      expect(() => new Webhook(secret).verify(sent, signed)).toThrow();
      await expect(openai.webhooks.unwrap(sent, signed)).rejects.toThrow();
    },
  );
});

interface Spoilt {
  sent?: string;
  headers?: Record<string, string>;
  by?: string;
  at?: number;
}

it('a secret has 256 bits, and is another each time', () => {
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newWebhookSecret()).not.toBe(secret);
});
