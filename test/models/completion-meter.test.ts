import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Model } from '../../shared/models/catalogue.ts';
import { CompletionMeter, type Metered } from '../../shared/models/completion-meter.ts';

const model: Model = {
  id: 'a-model',
  upstreams: [{ upstream: 'an-upstream', model: 'a-model' }],
  contextWindow: 100_000,
  maxOutputTokens: 1_000,
  reasoning: false,
  usdPerMillionTokens: { input: 1, cachedInput: 0.5, output: 10 },
};
const request = { messages: [{ role: 'user', content: 'a question' }] };

/** What a meter says of these completions or chunks. */
function metered(...seen: Metered[]) {
  const meter = new CompletionMeter(model, request);
  for (const each of seen) meter.observe(each);
  return { sawAnything: meter.sawAnything, finished: meter.finished, ...meter.outcome() };
}

const text = (content: string): Metered => ({ choices: [{ delta: { content } }] });
const finish: Metered = { choices: [{ delta: {}, finish_reason: 'stop' }] };
const usage = (prompt_tokens: number, completion_tokens: number, rest: object = {}): Metered => ({
  choices: [],
  usage: { prompt_tokens, completion_tokens, ...rest },
});

describe('figures are', () => {
  it.each([
    ['exact where a finished answer tells its usage', [text('hi'), finish, usage(3, 4)], 'exact'],
    ['exact of a whole completion', [{ ...finish, ...usage(3, 4), ...finish }], 'exact'],
    ['estimated where it doesn’t', [text('hi'), finish], 'estimated'],
    ['partial where the answer broke off', [text('hi')], 'partial'],
    ['partial where it broke off after it told some usage', [text('hi'), usage(3, 4)], 'partial'],
  ])('%s', (_, seen, figures) => {
    expect(metered(...seen).figures).toBe(figures);
  });
});

describe('a completion costs', () => {
  it('what its usage says', () => {
    expect(metered(text('much more than that'), finish, usage(3, 4))).toMatchObject({
      promptTokens: 3,
      completionTokens: 4,
      costNanoUsd: 43_000,
    });
  });

  it('less for cached tokens', () => {
    const cached = usage(10, 0, { prompt_tokens_details: { cached_tokens: 6 } });

    expect(metered(cached).costNanoUsd).toBe(4 * 1_000 + 6 * 500);
  });

  it('what the last of several usages says, as some providers count along', () => {
    expect(metered(usage(3, 1), text('a'), usage(3, 2), finish).completionTokens).toBe(2);
  });

  it.each([
    ['negative', { prompt_tokens: 3, completion_tokens: -4 }],
    ['fractional', { prompt_tokens: 3, completion_tokens: 0.5 }],
    ['partly missing', { prompt_tokens: 3 }],
    ['a string', { prompt_tokens: '3', completion_tokens: '4' }],
    ['null', null],
  ])('an estimate where its usage is %s', (_, bad) => {
    const outcome = metered(text('12345678'), finish, { choices: [], usage: bad } as Metered);

    expect(outcome).toMatchObject({ figures: 'estimated', completionTokens: 2 });
  });
});

describe('output is', () => {
  it.each([
    ['text', { content: '12345678' }, 2],
    ['reasoning', { reasoning_content: '12345678' }, 2],
    ['a refusal', { refusal: '12345678' }, 2],
    [
      'a tool’s name and arguments',
      {
        tool_calls: [
          { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      },
      2,
    ],
    ['no role', { role: 'assistant', content: '' }, 0],
    ['nothing', null, 0],
  ])('%s', (_, delta, tokens) => {
    const choices = [{ delta }] as Metered['choices'];

    expect(metered({ choices: choices ?? null }).completionTokens).toBe(tokens);
  });

  it('every choice’s', () => {
    const choices = [{ message: { content: '1234' } }, { message: { content: '5678' } }];

    expect(metered({ choices }).completionTokens).toBe(2);
  });

  it('estimated from above by no more than a token a chunk', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 20 }), (texts) => {
        const bytes = Buffer.byteLength(texts.join(''));

        const { completionTokens } = metered(...texts.map(text), finish);

        expect(completionTokens).toBeGreaterThanOrEqual(bytes / 4);
        expect(completionTokens).toBeLessThan(bytes / 4 + Math.max(1, texts.length));
      }),
    );
  });
});

describe('a usage that can’t be true is left out, and the cost estimated', () => {
  const tokens = (prompt_tokens: unknown, completion_tokens: unknown, cached_tokens?: unknown) =>
    ({
      choices: [],
      usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
    }) as Metered;

  it.each<[string, Metered]>([
    ['less than nothing cached', tokens(3, 4, -1_000_000)],
    ['more cached than there is', tokens(3, 4, 5)],
    ['words', tokens('abc', 4)],
    ['a fraction', tokens(3.5, 4)],
    ['the largest of numbers', tokens(Number.MAX_SAFE_INTEGER, 4)],
    ['a prompt beyond the window', tokens(3_000_000_000, 4)],
    ['an answer beyond the limit', tokens(3, 1_001)],
    ['less than nothing', tokens(3, -4)],
    ['nothing at all', tokens(undefined, undefined)],
  ])('%s', (_, lie) => {
    const honest = metered(text('12345678'), finish);

    expect(metered(text('12345678'), finish, lie)).toEqual(honest);
    expect(honest).toMatchObject({ figures: 'estimated', completionTokens: 2 });
  });
});

it('a prompt that was taken and never answered costs an estimate', () => {
  expect(metered()).toMatchObject({ figures: 'estimated', completionTokens: 0 });
  expect(metered().costNanoUsd).toBeGreaterThan(0);
});

it('the dearest of the models that may have answered counts', () => {
  const meter = new CompletionMeter(model, request);
  meter.observe({ ...finish, ...usage(3, 4) });
  const cheap = { ...model, usdPerMillionTokens: { input: 0.1, output: 1 } };
  const dear = { ...model, usdPerMillionTokens: { input: 10, output: 100 } };

  expect(meter.outcome([cheap]).costNanoUsd).toBe(43_000);
  expect(meter.outcome([cheap, dear]).costNanoUsd).toBe(430_000);
});

it('the service tier that the answer names is what is paid', () => {
  const tiered = { ...model, serviceTiers: { priority: { input: 2, output: 20 } } };
  const cost = (service_tier: unknown) => {
    const meter = new CompletionMeter(tiered, request);
    meter.observe({ ...usage(3, 4), ...finish, service_tier });
    return meter.outcome().costNanoUsd;
  };

  expect(cost('priority')).toBe(86_000);
  expect([undefined, 'default', 'flex', 7].map(cost)).toEqual([43_000, 43_000, 43_000, 43_000]);
});

describe('there is something to pay', () => {
  it.each([
    ['after the first text', [text('a')], true],
    ['after a finish without text', [finish], true],
    ['after a usage', [usage(3, 0)], true],
    ['not after a role', [{ choices: [{ delta: { role: 'assistant', content: '' } }] }], false],
    ['not after chunks that say nothing', [{}, { choices: null }, { choices: [] }], false],
  ])('%s', (_, seen, sawAnything) => {
    expect(metered(...seen).sawAnything).toBe(sawAnything);
  });
});

it('takes any JSON for what it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (any, choices, usage) => {
      const outcome = metered(
        any as Metered,
        { choices, usage } as Metered,
        {
          choices: [choices],
        } as Metered,
      );

      expect(outcome.costNanoUsd).toBeGreaterThanOrEqual(0);
    }),
  );
});

it('takes chunks in any order of text, finish and usage for the same', () => {
  const chunks = [text('abc'), text('defgh'), finish, usage(7, 9)];

  fc.assert(
    fc.property(fc.shuffledSubarray(chunks, { minLength: chunks.length }), (shuffled) => {
      expect(metered(...shuffled)).toEqual(metered(...chunks));
    }),
  );
});
