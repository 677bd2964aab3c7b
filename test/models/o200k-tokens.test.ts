import { hash } from 'node:crypto';
import fc from 'fast-check';
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as p50k } from 'gpt-tokenizer/encoding/p50k_base';
import { countTokens as r50k } from 'gpt-tokenizer/encoding/r50k_base';
import { describe, expect, it } from 'vitest';
import { catalogue, type Model } from '../../shared/models/catalogue.ts';
import { o200kCounter } from '../../shared/models/o200k-tokens.ts';
import { textTokens } from '../../shared/models/text-tokens.ts';
import { maxPromptTokens, type SizedRequest } from '../../shared/models/token-bounds.ts';
import { tiktoken } from '../support/fixtures/tiktoken.ts';
import { cases } from '../support/run/cases.ts';

const o200k = tiktoken();
const asPlainText = { disallowedSpecial: new Set<string>() };
const vocabularies = [cl100k, p50k, r50k].map(
  (count) => (text: string) => count(text, asPlainText),
);

const aPiece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    ...[
      'the ',
      ' importer',
      'readRow(',
      "don't ",
      "DON'T",
      "'ſ",
      '\n\n',
      '\r\n',
      '\t\t',
      '  ',
      '1234567',
    ],
    ...[
      ' हिन्दी',
      'สวัสดี',
      '中文',
      'Straße',
      'ǅ',
      'ʕ',
      '🏳️‍🌈',
      '<|endoftext|>',
      '{"a":',
      '\u0000',
      '\ud800',
    ],
    ...[
      '\ufeff',
      '\u0085',
      '\u00a0',
      '\u088f',
      '\u1acf',
      '𝟎𝒜',
      '𠀀',
      '://',
      '/\n',
      '----',
      '====\n',
    ],
  ),
  fc
    .tuple(fc.constantFrom('a', 'Z', ' ', '\n', '中', '!', '7', 'é'), fc.nat(80))
    .map(([unit, times]) => unit.repeat(times)),
);
const aText = fc.array(aPiece, { maxLength: 25 }).map((pieces) => pieces.join(''));
const aContent = fc.oneof(
  { weight: 3, arbitrary: aText },
  fc.array(aText, { maxLength: 3 }).map((texts) => texts.map((text) => ({ type: 'text', text }))),
);
const someMessages = fc.array(
  fc.record({ role: fc.constantFrom('system', 'user', 'assistant', 'tool'), content: aContent }),
  { minLength: 1, maxLength: 5 },
);

/** A provider adds three tokens to each message, and to the request. */
const trueTokens = ({ messages }: SizedRequest, count: (text: string) => number) =>
  (messages as { content: string | { text: string }[] }[]).reduce((sum, { content }) => {
    const text = typeof content === 'string' ? content : content.map((part) => part.text).join('');
    return sum + 4 + count(text.toWellFormed());
  }, 3);

const counted = catalogue.models.find(({ vocabulary }) => vocabulary) as Model;
const { vocabulary: _, ...other } = counted;

it.each([
  ['o200k_base', counted, [o200k]],
  ['nobody knows which', other, [o200k, ...vocabularies]],
])(
  'no prompt has more tokens than are held: %s',
  async (_, model, counts) => {
    await fc.assert(
      fc.asyncProperty(someMessages, async (messages) => {
        const request = { messages };
        const held = maxPromptTokens(model, request, { tokensOf: await textTokens(model) });
        for (const count of counts) expect(held).toBeGreaterThanOrEqual(trueTokens(request, count));
      }),
      { numRuns: cases(150, 10_000) },
    );
  },
  3_600_000,
);

describe('a count of o200k_base', () => {
  it('is exact for what people write', () => {
    const text =
      'Find out why `readRow(stream)` fails on line 1,234 — don’t guess.\n\n- Überprüfe es.\n';

    expect(o200kCounter()(text.repeat(50))).toBe(o200k(text.repeat(50)));
  });

  it.each([
    'a'.repeat(1_000_000),
    ' '.repeat(1_000_000),
    '中'.repeat(300_000),
    '!'.repeat(1_000_000),
  ])('is the bytes of a run that takes long to merge: %#', (text) => {
    expect(o200kCounter()(text)).toBe(Buffer.byteLength(text));
  });

  it('is the bytes of what comes after much that is random', () => {
    const letters = (n: number) =>
      hash('sha256', String(n))
        .slice(0, 30)
        .replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
    const random = Array.from({ length: 2_000 }, (_, n) => letters(n)).join(' ');
    const count = o200kCounter();
    count(random);

    expect(count('qzjxqv')).toBe(6);
  });
});
