import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, isStepCount, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { messageOf, messageStream, type StubBlock } from '../support/servers/message-stub.ts';
import type { Behaviour } from '../support/servers/model-stub.ts';
import {
  chunk,
  completionOf,
  done,
  streamOf,
  usageChunk,
} from '../support/servers/model-stub-pieces.ts';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const chat = await useChatStage();
const account = await chat.newAccount();

const text = (said: string): StubBlock => ({ type: 'text', text: said });
const wantsWeather: StubBlock = {
  type: 'tool_use',
  id: 'toolu_1',
  name: 'weather',
  input: { city: 'Oslo' },
};

const upstreams = [
  {
    kind: 'claude' as const,
    calls: messageStream([wantsWeather]),
    says: messageStream([text('cold')]),
    callsWhole: messageOf([wantsWeather]),
    saysWhole: messageOf([text('cold')]),
  },
  {
    kind: 'plain' as const,
    calls: [
      chunk({
        tool_calls: [
          {
            ...{ index: 0, id: 'call_1', type: 'function' },
            function: { name: 'weather', arguments: '{"city":"Oslo"}' },
          },
        ],
      }),
      ...[chunk({}, 'tool_calls'), usageChunk(3, 4), done],
    ],
    says: streamOf(['co', 'ld'], [3, 4]),
    callsWhole: completionOf(
      {
        content: null,
        tool_calls: [
          {
            ...{ id: 'call_1', type: 'function' },
            function: { name: 'weather', arguments: '{"city":"Oslo"}' },
          },
        ],
      },
      [3, 4],
      'tool_calls',
    ),
    saysWhole: completionOf('cold'),
  },
];

describe.each(upstreams)('the AI SDK’s provider for Anthropic, of a $kind model,', (upstream) => {
  const { kind, calls, says, callsWhole, saysWhole } = upstream;
  const { base_url: url, api_key: apiKey } = account;
  const provider = createAnthropic({ baseURL: `${url}/v1`, apiKey });
  const weather = tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `weather of ${city}`,
  });
  const pieces = (list: string[]): Behaviour => ({ kind: 'pieces', pieces: list });

  it('generates text with a tool', async () => {
    const { id } = chat.newModel(kind, [pieces([callsWhole]), pieces([saysWhole])]);

    const { text: said, steps } = await generateText({
      model: provider(id),
      prompt: 'a question',
      maxOutputTokens: 500,
      tools: { weather },
      stopWhen: isStepCount(2),
    });

    expect(said).toBe('cold');
    expect(steps[0]?.toolResults[0]?.output).toBe('weather of Oslo');
  });

  it('streams text with a tool', async () => {
    const { id } = chat.newModel(kind, [pieces(calls), pieces(says)]);

    const { textStream, steps } = streamText({
      model: provider(id),
      prompt: 'a question',
      maxOutputTokens: 500,
      tools: { weather },
      stopWhen: isStepCount(2),
    });

    let said = '';
    for await (const each of textStream) said += each;
    expect(said).toBe('cold');
    expect((await steps)[0]?.toolResults[0]?.output).toBe('weather of Oslo');
  });
});
