import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateObject, generateText, isStepCount, Output, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Account, endedCharges, useChatStage } from '../support/servers/chat-stage.ts';
import {
  chunk,
  completionOf,
  done,
  gate,
  streamOf,
  usageChunk,
} from '../support/servers/model-stub-pieces.ts';
import type { TestModel } from '../support/servers/test-models.ts';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const chat = await useChatStage();
const account = await chat.newAccount();

/** A model that answers with these in turn. */
const answering = (...answers: string[][]): TestModel =>
  chat.newModel(
    'plain',
    answers.map((pieces) => ({ kind: 'pieces', pieces })),
  );

const toolCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Oslo"}' },
};
const wantsWeather = completionOf({ content: null, tool_calls: [toolCall] }, [3, 4], 'tool_calls');
const Cat = z.object({ name: z.string(), lives: z.number() });

const messagesOf = ({ upstreams }: TestModel) => upstreams[0]?.requests().at(-1)?.body.messages;

describe('the AI SDK', () => {
  const provider = ({ base_url, api_key }: Account) =>
    createOpenAICompatible({
      name: 'quire',
      baseURL: `${base_url}/v1`,
      apiKey: api_key,
      includeUsage: true,
      supportsStructuredOutputs: true,
    });
  const weather = tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `weather of ${city}`,
  });

  it('generates text', async () => {
    const model = provider(account)(answering([completionOf('hello', [3, 4])]).id);

    const { text, usage, finishReason } = await generateText({ model, prompt: 'a question' });

    expect(text).toBe('hello');
    expect(finishReason).toBe('stop');
    expect(usage).toMatchObject({ inputTokens: 3, outputTokens: 4 });
  });

  it('streams text', async () => {
    const model = provider(account)(answering(streamOf(['a', 'b', '漢'], [3, 4])).id);

    const result = streamText({ model, prompt: 'a question' });

    const parts: string[] = [];
    for await (const part of result.textStream) parts.push(part);
    expect(parts.join('')).toBe('ab漢');
    expect(await result.usage).toMatchObject({ inputTokens: 3, outputTokens: 4 });
  });

  it('calls tools and goes on with their results', async () => {
    const asked = answering([wantsWeather], [completionOf('cold')]);

    const { text, steps } = await generateText({
      model: provider(account)(asked.id),
      prompt: 'a question',
      tools: { weather },
      stopWhen: isStepCount(2),
    });

    expect(text).toBe('cold');
    expect(steps).toHaveLength(2);
    expect(messagesOf(asked)?.at(-1)).toMatchObject({
      role: 'tool',
      tool_call_id: 'call_1',
      content: 'weather of Oslo',
    });
  });

  it('generates objects', async () => {
    const model = provider(account)(answering([completionOf('{"name":"Tom","lives":9}')]).id);

    const { output } = await generateText({
      model,
      prompt: 'a question',
      output: Output.object({ schema: Cat }),
    });

    expect(output).toEqual({ name: 'Tom', lives: 9 });
  });

  it('generates objects the old way', async () => {
    const model = provider(account)(answering([completionOf('{"name":"Tom","lives":9}')]).id);

    const { object } = await generateObject({ model, prompt: 'a question', schema: Cat });

    expect(object).toEqual({ name: 'Tom', lives: 9 });
  });

  it('sees a spent budget as an error', async () => {
    const poor = await chat.newAccount({ budget_usd: 0 });

    const failing = generateText({
      model: provider(poor)('plain-0'),
      prompt: 'a question',
      maxRetries: 0,
    });

    await expect(failing).rejects.toMatchObject({
      statusCode: 429,
      message: expect.stringContaining('Budget exceeded'),
    });
  });

  it('aborts a stream, which is paid in full', async () => {
    const caller = await chat.newAccount();
    const goOn = gate();
    async function* pieces() {
      yield chunk('first');
      await goOn.opened;
      yield* [chunk('last', 'stop'), usageChunk(3, 4), done];
    }
    const { id } = chat.newModel('plain', { kind: 'pieces', pieces: pieces() });
    const abort = new AbortController();

    const { textStream } = streamText({
      model: provider(caller)(id),
      prompt: 'a question',
      abortSignal: abort.signal,
    });
    for await (const _ of textStream) abort.abort();
    goOn.open();

    expect(await endedCharges(caller)).toMatchObject([{ figures: 'exact', completion_tokens: 4 }]);
  });
});

describe('LangChain', () => {
  const chatModel = (model: TestModel) =>
    new ChatOpenAI({
      model: model.id,
      apiKey: account.api_key,
      maxRetries: 0,
      configuration: { baseURL: `${account.base_url}/v1` },
    });

  it('invokes', async () => {
    const model = chatModel(answering([completionOf('hello', [3, 4])]));

    const message = await model.invoke('a question');

    expect(message.content).toBe('hello');
    expect(message.usage_metadata).toMatchObject({ input_tokens: 3, output_tokens: 4 });
  });

  it('streams, and is told the usage', async () => {
    const model = chatModel(answering(streamOf(['a', 'b'], [3, 4])));

    let text = '';
    let usage: unknown;
    for await (const { content, usage_metadata } of await model.stream('a question')) {
      text += content;
      usage = usage_metadata ?? usage;
    }

    expect(text).toBe('ab');
    expect(usage).toMatchObject({ input_tokens: 3, output_tokens: 4 });
  });

  it('binds tools and sends their results', async () => {
    const asked = answering([wantsWeather], [completionOf('cold')]);
    const schema = z.object({ city: z.string() });
    const model = chatModel(asked).bindTools([
      { name: 'weather', description: 'Tells the weather', schema },
    ]);

    const first = await model.invoke('a question');
    const last = await model.invoke([
      new HumanMessage('a question'),
      first,
      new ToolMessage({ content: 'weather of Oslo', tool_call_id: 'call_1' }),
    ]);

    expect(first.tool_calls).toMatchObject([
      { id: 'call_1', name: 'weather', args: { city: 'Oslo' } },
    ]);
    expect(last.content).toBe('cold');
    expect(messagesOf(asked)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [toolCall] },
      { role: 'tool', tool_call_id: 'call_1', content: 'weather of Oslo' },
    ]);
  });

  it('puts out structure', async () => {
    const model = chatModel(answering([completionOf('{"name":"Tom","lives":9}')]));

    const cat = await model.withStructuredOutput(Cat, { method: 'jsonSchema' }).invoke('a cat?');

    expect(cat).toEqual({ name: 'Tom', lives: 9 });
  });
});
