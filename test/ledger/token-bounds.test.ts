import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { countChatCompletionTokens } from 'gpt-tokenizer/model/gpt-4o';
import { describe, expect, it } from 'vitest';
import type { Model } from '../../shared/models/catalogue.ts';
import { chatCostNanoUsd as costNanoUsd } from '../../shared/models/chat-usage.ts';
import { CompletionMeter } from '../../shared/models/completion-meter.ts';
import type { Body } from '../../shared/models/dialects/dialect.ts';
import { pdfPagesIn } from '../../shared/models/pdf-pages.ts';
import {
  estimatePromptTokens,
  isCertainlyTooLong,
  maxCostNanoUsd,
  type SizedRequest,
} from '../../shared/models/token-bounds.ts';
import { dialects } from '../../shared/models/upstreams/wires.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { countTokens } from '../support/fixtures/tokens.ts';
import { cases } from '../support/run/cases.ts';

const model: Model = {
  id: 'gpt-4o',
  upstreams: [{ upstream: 'openai', model: 'gpt-4o' }],
  contextWindow: 128_000,
  maxOutputTokens: 16_384,
  maxImageTokens: 1445,
  reasoning: false,
  usdPerMillionTokens: { input: 2.5, cachedInput: 1.25, output: 10 },
};

/** A prompt's tokens, as OpenAI counts them. */
const countPrompt = (request: Parameters<NonNullable<typeof countChatCompletionTokens>>[0]) =>
  countChatCompletionTokens?.(request) ?? Number.NaN;

const aText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc
    .array(
      fc.constantFrom(
        ...[
          'word ',
          "don't ",
          ' हिन्दी',
          'สวัสดี',
          '\n',
          '\t',
          '🏳️‍🌈',
          '{"',
          '\u0000',
          '\ud800',
          '中文',
        ],
      ),
    )
    .map((parts) => parts.join('')),
);
const aName = fc.stringMatching(/^[a-zA-Z_]{1,20}$/);
const aMessage = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant'),
  content: aText,
});
const messages = fc.array(aMessage, { minLength: 1, maxLength: 8 });
const aProperty = fc.oneof(
  fc.record({ type: fc.constant('string' as const), description: aText }),
  fc.record({ type: fc.constant('string' as const), enum: fc.array(aText, { minLength: 1 }) }),
  fc.record({ type: fc.constant('number' as const) }),
);
const aFunction = fc.record({
  name: aName,
  description: aText,
  parameters: fc.record({
    type: fc.constant('object' as const),
    properties: fc.dictionary(aName, aProperty, { maxKeys: 5 }),
  }),
});

it('holds enough for any prompt, and for all the output it asks for', () => {
  fc.assert(
    fc.property(
      messages,
      fc.array(aFunction, { maxLength: 3 }),
      fc.option(fc.integer({ min: 1, max: 20_000 })),
      fc.option(fc.integer({ min: 1, max: 128 })),
      (messages, functions, maxTokens, n) => {
        const tools = functions.map((each) => ({ type: 'function', function: each }));
        const request = { messages, tools, max_tokens: maxTokens, n };
        const most = {
          prompt_tokens: countPrompt({ messages, functions }),
          completion_tokens: (n ?? 1) * Math.min(maxTokens ?? 16_384, 16_384),
        };

        expect(maxCostNanoUsd(model, request)).toBeGreaterThanOrEqual(costNanoUsd(model, most));
      },
    ),
    { numRuns: cases(50, 500) },
  );
});

it('holds as much for text in parts as the text takes', () => {
  fc.assert(
    fc.property(fc.array(aText), (texts) => {
      const content = texts.map((text) => ({ type: 'text', text }));
      const request = { messages: [{ role: 'user', content }], max_tokens: 1 };
      const tokens = texts.reduce((sum, text) => sum + countTokens(text), 7);

      expect(maxCostNanoUsd(model, request)).toBeGreaterThanOrEqual(
        costNanoUsd(model, { prompt_tokens: tokens, completion_tokens: 1 }),
      );
    }),
    { numRuns: cases(20, 200) },
  );
});

it('counts an image by what one may cost at most, however few bytes name it', () => {
  const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } };
  const data = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${'A'.repeat(9e5)}` },
  };
  const held = (...content: object[]) =>
    maxCostNanoUsd(model, { messages: [{ role: 'user', content }], max_tokens: 1 });

  const more = held(image, image) - held(image);

  expect(more).toBeGreaterThanOrEqual(1445 * 2500);
  expect(held(data)).toBe(held(image));
});

it('counts what only looks like an image by its bytes', () => {
  const description = 'word '.repeat(10_000);
  const properties = { image_url: { type: 'string', description } };
  const tools = [{ type: 'function', function: { name: 'f', parameters: { properties } } }];
  const request = { messages: [{ role: 'user', content: 'hi' }], tools, max_tokens: 1 };

  const most = { prompt_tokens: countTokens(description), completion_tokens: 1 };

  expect(maxCostNanoUsd(model, request)).toBeGreaterThanOrEqual(costNanoUsd(model, most));
});

it('counts parameters that it does not know by their bytes, as they may be prompt', () => {
  const functions = [{ name: 'f', description: 'word '.repeat(10_000) }];
  const request = { messages: [{ role: 'user', content: 'hi' }], functions, max_tokens: 1 };

  expect(maxCostNanoUsd(model, request)).toBeGreaterThanOrEqual(
    costNanoUsd(model, { prompt_tokens: 10_000, completion_tokens: 1 }),
  );
});

it.each([
  ['a file', { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }],
  ['a part of a kind that is not known', { type: 'video_url', video_url: { url: 'https://a' } }],
])('takes %s for all that fits the context window', (_, part) => {
  const content = [{ type: 'text', text: 'What is this?' }, part];

  const most = maxCostNanoUsd(model, { messages: [{ role: 'user', content }], max_tokens: 1 });

  expect(most).toBe(128_000 * 2500 + 10_000);
});

/** Pages within a stream of objects, as PDF 1.5 has them. */
const packed = (count: number) => {
  const objects = deflateSync('<< /Type /Page /Parent 2 0 R >>\n'.repeat(count));
  const head = `%PDF-1.5\n5 0 obj\n<</Filter/FlateDecode/First 9/N ${count}/Type/ObjStm>>stream\r\n`;
  return Buffer.concat([Buffer.from(head), objects, Buffer.from('\nendstream\nendobj\n')]);
};

describe('the pages of a PDF are counted as their text and a picture each', () => {
  const pages = Array.from({ length: 16 }, (_, n) => ({ text: `Page ${n}` }));
  const seeing = { ...model, maxImageTokens: 1_000 };

  it.each<[keyof typeof dialects, (data: string) => Body]>([
    [
      'messages',
      (data) => ({
        ...{ type: 'document', title: 'Report' },
        source: { type: 'base64', media_type: 'application/pdf', data },
      }),
    ],
    [
      'responses',
      (data) => ({
        ...{ type: 'input_file', filename: 'report.pdf' },
        file_data: `data:application/pdf;base64,${data}`,
      }),
    ],
    [
      'chat',
      (data) => ({
        type: 'file',
        file: { filename: 'report.pdf', file_data: `data:application/pdf;base64,${data}` },
      }),
    ],
  ])('in a request of %s, packed in streams of objects or not', async (dialect, partOf) => {
    for (const pdf of [await pdfOf(pages), packed(16)]) {
      const content = [partOf(Buffer.from(pdf).toString('base64'))];
      const said = [{ role: 'user', content }];
      const body = dialect === 'responses' ? { input: said } : { messages: said };
      const tokens = estimatePromptTokens(seeing, dialects[dialect].sized(body));

      expect(tokens).toBeGreaterThan(16 * 3_000);
      expect(tokens).toBeLessThan(16 * 3_000 + 100);
    }
  });

  it.each<[string, (data: string) => SizedRequest]>([
    [
      'messages',
      (data) => {
        const source = { type: 'base64', media_type: 'application/pdf', data };
        const content = [{ type: 'document', source }];
        const result = { type: 'tool_result', tool_use_id: 'c', content };
        return dialects.messages.sized({ messages: [{ role: 'user', content: [result] }] });
      },
    ],
    [
      'responses',
      (data) => {
        const file = { type: 'input_file', file_data: `data:application/pdf;base64,${data}` };
        const output = { type: 'function_call_output', call_id: 'c', output: [file] };
        return dialects.responses.sized({ input: [output] });
      },
    ],
  ])('in what a tool gave, in %s', async (_, sizedOf) => {
    const data = Buffer.from(await pdfOf(pages)).toString('base64');

    const tokens = estimatePromptTokens(seeing, sizedOf(data));

    expect(tokens).toBeGreaterThan(16 * 3_000);
    expect(tokens).toBeLessThan(16 * 3_000 + 100);
  });

  it('of one that is damaged, encrypted, elsewhere or none as one page', () => {
    for (const url of ['', 'https://a.example/b.pdf', 'data:application/pdf;base64,AAAA']) {
      expect(pdfPagesIn(url)).toBe(1);
    }
  });
});

it('never guesses a cost above what was held for an answer that can be within its limit', () => {
  const deltas = fc.array(fc.record({ role: aName, content: aText, reasoning: aText }));
  fc.assert(
    fc.property(deltas, messages, fc.integer({ min: 1, max: 50 }), (deltas, messages, limit) => {
      const request = { messages, max_tokens: limit };
      const meter = new CompletionMeter(model, request);

      for (const delta of deltas) meter.observe({ choices: [{ delta }] });

      if (meter.isBeyondLimit) return;
      expect(meter.outcome().costNanoUsd).toBeLessThanOrEqual(maxCostNanoUsd(model, request));
    }),
    { numRuns: cases(20, 200) },
  );
});

it('holds at most what fits the context window, at the highest of prices by length', () => {
  const tiered: Model = {
    ...model,
    contextWindow: 1000,
    usdPerMillionTokens: { input: { base: 1, tiers: [{ start: 500, price: 3 }] }, output: 2 },
  };
  const request = { messages: [{ role: 'user', content: 'a'.repeat(9000) }], max_tokens: 10 };

  expect(maxCostNanoUsd(tiered, request)).toBe(1000 * 3000 + 10 * 2000);
});

it('never calls a prompt too long that just fits', () => {
  fc.assert(
    fc.property(messages, fc.integer({ min: 1, max: 200 }), (once, times) => {
      const messages = once.map(({ role, content }) => ({ role, content: content.repeat(times) }));
      const contextWindow = countPrompt({ messages });

      expect(isCertainlyTooLong({ ...model, contextWindow }, { messages })).toBe(false);
    }),
    { numRuns: cases(30, 300) },
  );
});

it.each([
  ['blank lines', '\n'],
  ['tabs', '\t'],
  ['contractions', " don't"],
  ['words of letters with marks', ' हिन्दी'],
  ['parts of one letter', undefined],
])('never calls a prompt too long that just fits: %s', (_, piece) => {
  const letters = Array.from({ length: 4000 }, () => ({ type: 'text', text: 'a' }));
  const messages = [{ role: 'user', content: piece?.repeat(4000) ?? letters }];
  const contextWindow = 7 + countTokens((piece ?? 'a').repeat(4000));

  expect(isCertainlyTooLong({ ...model, contextWindow }, { messages })).toBe(false);
});

it('calls a prompt too long that has more words than the window has tokens', () => {
  const messages = [{ role: 'user', content: 'word '.repeat(1001) }];

  expect(isCertainlyTooLong({ ...model, contextWindow: 1000 }, { messages })).toBe(true);
});
