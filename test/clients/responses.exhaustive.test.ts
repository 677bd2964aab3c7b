import { createOpenAI } from '@ai-sdk/openai';
import {
  Agent,
  tool as agentTool,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
} from '@openai/agents';
import { generateText, isStepCount, Output, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { speaking, type Turn } from '../support/servers/responding.ts';
import { callItem, messageItem, responseOf } from '../support/servers/responses-stub.ts';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
setTracingDisabled(true);

const chat = await useChatStage();
const account = await chat.newAccount();
const settings = { apiKey: account.api_key, baseURL: `${account.base_url}/v1` };

const hello: Turn = { text: 'hello world' };
const wantsWeather: Turn = { call: 'weather', input: { city: 'Oslo' } };
const Cat = z.object({ name: z.string(), lives: z.number() });
const cat: Turn = { text: '{"name":"Tom","lives":9}' };

describe.each(speaking)('over $name', ({ kind, answering }) => {
  const newModel = (...turns: Turn[]) => chat.newModel(kind, answering(...turns));

  it('the Agents SDK calls a tool', async () => {
    const { id: model, upstreams } = newModel(wantsWeather, hello);
    const weather = agentTool({
      ...{ name: 'weather', description: 'Tells the weather.' },
      parameters: z.object({ city: z.string() }),
      execute: async ({ city }) => `weather of ${city}`,
    });
    const agent = new Agent({ name: 'a', instructions: 'Be brief.', model, tools: [weather] });

    const runner = new Runner({
      modelProvider: new OpenAIProvider(settings),
      tracingDisabled: true,
    });
    const { finalOutput } = await runner.run(agent, 'How is the weather?');

    expect(finalOutput).toBe('hello world');
    expect(JSON.stringify(upstreams[0]?.requests().at(-1)?.body)).toContain('weather of Oslo');
  });

  it('the Agents SDK calls a tool in a stream', async () => {
    const { id: model } = newModel(wantsWeather, hello);
    const weather = agentTool({
      ...{ name: 'weather', description: 'Tells the weather.' },
      parameters: z.object({ city: z.string() }),
      execute: async ({ city }) => `weather of ${city}`,
    });
    const agent = new Agent({ name: 'a', model, tools: [weather] });

    const runner = new Runner({
      modelProvider: new OpenAIProvider(settings),
      tracingDisabled: true,
    });
    const result = await runner.run(agent, 'How is the weather?', { stream: true });
    await result.completed;

    expect(result.finalOutput).toBe('hello world');
  });

  describe('the AI SDK', () => {
    const openai = createOpenAI(settings);
    const weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => `weather of ${city}`,
    });

    it('generates text', async () => {
      const { id } = newModel(hello);

      const { text, usage, finishReason } = await generateText({
        ...{ model: openai(id), prompt: 'a question' },
      });

      expect(text).toBe('hello world');
      expect(finishReason).toBe('stop');
      expect(usage).toMatchObject({ inputTokens: 3, outputTokens: 4 });
    });

    it('streams text, with a tool', async () => {
      const { id, upstreams } = newModel(wantsWeather, hello);

      const result = streamText({
        ...{ model: openai(id), prompt: 'a question', tools: { weather } },
        stopWhen: isStepCount(3),
      });

      expect(await Array.fromAsync(result.textStream).then((texts) => texts.join(''))).toBe(
        'hello world',
      );
      const steps = await result.steps;
      expect(steps.flatMap(({ toolResults }) => toolResults)).toMatchObject([
        { output: 'weather of Oslo' },
      ]);
      expect(JSON.stringify(upstreams[0]?.requests().at(-1)?.body)).toContain('weather of Oslo');
    });

    it('sends all that was said once it is told that nothing is kept', async () => {
      const speaks = () => [messageItem('Let me see.'), callItem('weather', { city: 'Oslo' })];
      const respond = () => {
        const { id, upstreams } = chat.newModel('responding', [
          { kind: 'pieces', pieces: [JSON.stringify(responseOf(speaks()))] },
          { kind: 'pieces', pieces: [JSON.stringify(responseOf([messageItem('hello')]))] },
        ]);
        return { model: openai(id), upstreams };
      };
      const asked = { prompt: 'a question', tools: { weather }, stopWhen: isStepCount(3) };

      const atDefaults = generateText({ ...asked, model: respond().model });
      const { model, upstreams } = respond();
      const { text } = await generateText({
        ...{ ...asked, model, providerOptions: { openai: { store: false } } },
      });

      await expect(atDefaults).rejects.toThrow(/item_reference.*Set store to false/);
      expect(text).toBe('hello');
      expect(JSON.stringify(upstreams[0]?.requests().at(-1)?.body)).toContain('Let me see.');
    });

    it('generates an object by a schema', async () => {
      const { id } = newModel(cat);

      const { output } = await generateText({
        ...{ model: openai(id), prompt: 'a cat', output: Output.object({ schema: Cat }) },
      });

      expect(output).toEqual({ name: 'Tom', lives: 9 });
    });
  });
});
