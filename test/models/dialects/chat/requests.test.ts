import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../../shared/models/dialects/ask.ts';
import { chat } from '../../../../shared/models/dialects/chat/chat.ts';
import type { Body } from '../../../../shared/models/dialects/dialect.ts';
import { asks, plainModel, thinkingModel } from '../asks.ts';

const messages = [{ role: 'user', content: 'hi' }];
const read = (body: Body) => chat.readRequest({ model: 'm', messages, ...body });
const written = (fields: Partial<Ask>, model = plainModel) =>
  chat.writeRequest({ model: 'm', messages: [], stream: false, ...fields }, model);

it('a request says the same once it is written and read again', () => {
  fc.assert(
    fc.property(asks, (ask) => {
      expect(chat.readRequest(chat.writeRequest(ask, plainModel))).toEqual(ask);
    }),
  );
});

describe('reads', () => {
  it('thoughts that callers of Claude send back', () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'redacted_thinking', data: 'x' },
    ];
    const {
      messages: [message],
    } = read({ messages: [{ role: 'assistant', content: 'a', thinking_blocks }] });

    expect(message?.parts).toEqual([
      { is: 'thought', text: 'hm', signature: 's' },
      { is: 'thought', text: '', encrypted: 'x' },
      { is: 'text', text: 'a' },
    ]);
  });

  it.each<[string, Body]>([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['audio', { audio: { voice: 'x' } }],
    ['prediction', { prediction: { type: 'content', content: 'x' } }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['tool_choice', { tool_choice: { type: 'allowed_tools', allowed_tools: {} } }],
    ['whatever', { whatever: 1 }],
  ])('no %s, which other dialects have no words for', (name, body) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ loc: ['body', name] })] }),
    );
  });

  it.each<[Body, (string | number)[]]>([
    [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }, ['content', 0, 'type']],
    [{ role: 'user', content: [{ type: 'file', file: {} }] }, ['content', 0, 'type']],
    [{ role: 'assistant', content: null, audio: { id: 'a' } }, ['audio']],
    [{ role: 'assistant', function_call: { name: 'f' } }, ['function_call']],
    [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'x' } }] }, ['content', 0]],
  ])('no %j', (message, place) => {
    const loc = ['body', 'messages', 0, ...place];
    expect(() => read({ messages: [message] })).toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ loc })] }),
    );
  });

  it('what changes nothing, without a word', () => {
    const harmless = {
      n: 1,
      seed: 3,
      logprobs: false,
      modalities: ['text'],
      store: false,
      user: null,
    };

    expect(read(harmless)).toEqual(read({}));
  });
});

describe('writes', () => {
  const image = { is: 'image' as const, url: 'data:image/png;base64,AA==' };
  const text = (words: string) => ({ is: 'text' as const, text: words });
  const messagesOf = (...said: Ask['messages']) => written({ messages: said })['messages'];

  it('instructions that follow each other as one message, of the role that every server knows', () => {
    expect(
      messagesOf(
        { role: 'system', parts: [text('a')] },
        { role: 'developer', parts: [text('b'), text('c')] },
        { role: 'user', parts: [text('d')] },
      ),
    ).toEqual([
      { role: 'system', content: 'a\n\nb\n\nc' },
      { role: 'user', content: 'd' },
    ]);
  });

  it('pictures that tools gave after all that the tools said', () => {
    expect(
      messagesOf(
        { role: 'tool', callId: 'a', parts: [text('one'), image] },
        { role: 'tool', callId: 'b', parts: [text('two')] },
        { role: 'assistant', parts: [text('I see.')] },
      ),
    ).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: image.url } }] },
      { role: 'assistant', content: 'I see.' },
    ]);
  });

  it('no message of thoughts alone, which servers refuse', () => {
    const thought = { is: 'thought' as const, text: 'hm' };

    expect(messagesOf({ role: 'assistant', parts: [thought] })).toEqual([]);
  });

  it('no file by its address, which servers don’t fetch', () => {
    const file = { is: 'file' as const, url: 'https://example.com/a.pdf' };

    expect(() => messagesOf({ role: 'user', parts: [file] })).toThrow(/a file by its address/);
  });

  it('a stream with its usage', () => {
    expect(written({ stream: true })).toMatchObject({
      ...{ stream: true, stream_options: { include_usage: true } },
    });
  });

  it('a budget of thoughts as an effort, for a model that thinks', () => {
    const reasoning = { budgetTokens: 2_000 };

    expect(written({ reasoning }, thinkingModel)['reasoning_effort']).toBe('low');
    expect(written({ reasoning })['reasoning_effort']).toBeUndefined();
  });
});
