import { describe, expect, it } from 'vitest';
import type { Model } from '../../shared/models/catalogue.ts';
import { maxPromptTokens } from '../../shared/models/token-bounds.ts';
import { dialects } from '../../shared/models/upstreams/wires.ts';

const model = {
  ...{ id: 'm', upstreams: [], contextWindow: 1_000_000, maxOutputTokens: 10, reasoning: false },
  ...{ maxImageTokens: 500, usdPerMillionTokens: { input: 1, output: 1 } },
} satisfies Model;

const long = 'x'.repeat(50_000);
const message = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const result = (content: unknown) => message([{ type: 'tool_result', tool_use_id: 'a', content }]);
const reference = { type: 'tool_reference', tool_name: 'a' };
const image = { url: 'data:image/png;base64,AA==' };

/** Fields that no schema sees, and that a provider may read. */
describe('a prompt counts where it hides:', () => {
  it.each<[string, keyof typeof dialects, Record<string, unknown>]>([
    ['as a result that is no list', 'messages', result({ type: 'text', text: long })],
    ['as a text in a list of blocks', 'messages', result([long])],
    ['as a number of bytes', 'messages', result(5)],
    [
      'as a text in the blocks of a document',
      'messages',
      message([{ type: 'document', source: { type: 'content', content: [long] } }]),
    ],
    [
      'as the only block of a document',
      'messages',
      message([
        { type: 'document', source: { type: 'content', content: { type: 'text', text: long } } },
      ]),
    ],
    [
      'as a tool that is named again and again',
      'messages',
      {
        ...result(Array(10).fill(reference)),
        tools: [{ name: 'a', description: 'x'.repeat(5_000), input_schema: {} }],
      },
    ],
    [
      'as an image in its original size',
      'responses',
      {
        input: [
          {
            role: 'user',
            content: [{ type: 'input_image', image_url: image.url, detail: 'original' }],
          },
        ],
      },
    ],
    [
      'as an image in its original size in a chat completion',
      'chat',
      message([{ type: 'image_url', image_url: { ...image, detail: 'original' } }]),
    ],
  ])('%s', (_, dialect, body) => {
    const request = dialects[dialect].sized({ model: 'm', max_tokens: 10, ...body });

    expect(maxPromptTokens(model, request)).toBeGreaterThanOrEqual(50_000);
  });
});
