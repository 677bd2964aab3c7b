import { describe, expect, it } from 'vitest';
import { type CompletionRequest, upstreamBody } from '../../shared/chat/completion-request.ts';
import { catalogue, type Model } from '../../shared/models/catalogue.ts';

const model = catalogue.models.find(({ id }) => id === 'gpt-4o') as Model;

/** The place that a refusal names; undefined for a request that is taken. */
function refusedAt(parameters: object): string | undefined {
  const messages = [{ role: 'user', content: 'hi' }];
  try {
    upstreamBody(model, { model: model.id, messages, ...parameters } as CompletionRequest);
    return undefined;
  } catch (error) {
    const { fields } = error as { fields?: { loc: (string | number)[] }[] };
    return fields?.[0]?.loc.join('.');
  }
}

describe('a name in another case, which servers in Go take for the name, is refused', () => {
  it.each([
    ['MAX_TOKENS', 100_000],
    ['Max_Completion_Tokens', 100_000],
    // The sign of the kelvin is another case of k.
    ['max_to\u212aens', 100_000],
    ['N', 100],
    ['TOOLS', [{ type: 'web_search' }]],
    ['Service_tier', 'priority'],
    // A long s is another case of s.
    ['\u017ftore', true],
    ['STREAM', true],
    ['MODEL', 'gpt-5'],
    ['Messages', []],
    ['maxoutputtokens', 100_000],
  ])('as a parameter: %s', (name, value) => {
    expect(refusedAt({ [name]: value })).toBe(`body.${name}`);
  });

  it.each([
    ['of a message', { role: 'user', content: 'hi', CONTENT: [{ type: 'file' }] }, 'CONTENT'],
    [
      'of a part',
      {
        role: 'user',
        content: [{ type: 'text', text: 'hi', Image_URL: { url: 'https://a.example' } }],
      },
      'content.0.Image_URL',
    ],
    [
      'within a part',
      {
        role: 'user',
        content: [
          { type: 'tool_result', content: [{ type: 'text', text: 'hi', Cache_Control: {} }] },
        ],
      },
      'content.0.content.0.Cache_Control',
    ],
  ])('%s', (_, message, place) => {
    expect(refusedAt({ messages: [message] })).toBe(`body.messages.0.${place}`);
  });
});

it('names of the caller’s own, and those that are no other case of one, are taken', () => {
  const input = { Content: 'x', TYPE: 'y' };
  const content = [{ type: 'tool_use', id: 'a', name: 'look', input }];

  expect(refusedAt({ messages: [{ role: 'assistant', content }] })).toBeUndefined();
  expect(refusedAt({ maxThoughts: 3, TopK: 4, candidateCount: null })).toBeUndefined();
});
