import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Account, endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { speaking, type Turn } from '../../support/servers/responding.ts';
import { costUsd } from '../../support/servers/test-catalogue.ts';

const chat = await useChatStage();
const account = await chat.newAccount();
const settingsOf = ({ base_url, api_key }: Account) => ({
  apiKey: api_key,
  baseURL: `${base_url}/v1`,
});
const client = new OpenAI(settingsOf(account));

const hello: Turn = { text: 'hello world' };
const Cat = z.object({ name: z.string(), lives: z.number() });
const cat: Turn = { text: '{"name":"Tom","lives":9}' };

describe.each(speaking)('over $name', ({ kind, answering }) => {
  const newModel = (...turns: Turn[]) => chat.newModel(kind, answering(...turns));

  describe('openai’s client gets', () => {
    it('a response, and its charge has its metadata', async () => {
      const payer = await chat.newAccount();
      const { id: model } = newModel(hello);

      const response = await new OpenAI(settingsOf(payer)).responses.create({
        ...{ model, input: 'a question', metadata: { team: 'blue' } },
      });

      expect(response.output_text).toBe('hello world');
      expect(response.status).toBe('completed');
      expect(response.usage).toMatchObject({ input_tokens: 3, output_tokens: 4, total_tokens: 7 });
      expect(await endedCharges(payer)).toMatchObject([
        {
          ...{ status: 'settled', figures: 'exact', metadata: { team: 'blue' } },
          cost: costUsd(3, 4) * 1e9,
        },
      ]);
    });

    it('a stream', async () => {
      const { id: model } = newModel(hello);

      const stream = client.responses.stream({ model, input: 'a question' });
      let text = '';
      stream.on('response.output_text.delta', ({ delta }) => {
        text += delta;
      });

      const response = await stream.finalResponse();
      expect(text).toBe('hello world');
      expect(response.output_text).toBe('hello world');
    });

    it('an object by a schema', async () => {
      const { id: model, upstreams } = newModel(cat);

      const { output_parsed } = await client.responses.parse({
        ...{ model, input: 'a cat', text: { format: zodTextFormat(Cat, 'cat') } },
      });

      expect(output_parsed).toEqual({ name: 'Tom', lives: 9 });
      expect(JSON.stringify(upstreams[0]?.requests()[0]?.body)).toContain('"lives"');
    });

    it('a count of tokens', async () => {
      const { id: model } = newModel();

      const count = await client.responses.inputTokens.count({ model, input: 'x'.repeat(400) });

      expect(count).toEqual({ object: 'response.input_tokens', input_tokens: 101 });
    });
  });
});
