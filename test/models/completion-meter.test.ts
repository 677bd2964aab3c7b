import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atBatchPrice } from '../../shared/models/batches/batch-price.ts';
import type { Model } from '../../shared/models/catalogue.ts';
import { CompletionMeter, type Metered } from '../../shared/models/completion-meter.ts';
import { maxCostNanoUsd } from '../../shared/models/token-bounds.ts';

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

function isUnbelievable(...seen: Metered[]) {
  const meter = new CompletionMeter(model, request);
  for (const each of seen) meter.observe(each);
  return meter.isUnbelievable;
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
    ['thoughts under two names, once', { reasoning: '12345678', reasoning_content: '12345678' }, 2],
    [
      'thoughts and their details, once',
      {
        reasoning: '12345678',
        reasoning_details: [{ type: 'reasoning.text', text: '12345678', index: 0 }],
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
        const words = texts.join('').match(/\S+/g) ?? [];

        const { completionTokens } = metered(...texts.map(text), finish);

        expect(completionTokens).toBeGreaterThanOrEqual(bytes / 4);
        expect(completionTokens).toBeLessThan(
          Math.max(words.length + 1, bytes / 4 + Math.max(1, texts.length)),
        );
      }),
    );
  });
});

describe('a usage', () => {
  const tokens = (prompt_tokens: unknown, completion_tokens: unknown, cached_tokens?: unknown) =>
    ({
      choices: [],
      usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
    }) as Metered;

  it.each<[string, Metered]>([
    ['has less than nothing cached', tokens(3, 4, -1_000_000)],
    ['has words', tokens('abc', 4)],
    ['has a fraction', tokens(3.5, 4)],
    ['has less than nothing', tokens(3, -4)],
    ['has nothing at all', tokens(undefined, undefined)],
    ['counts nothing beside an answer', tokens(0, 0)],
  ])('that %s is left out, and the cost estimated', (_, lie) => {
    const honest = metered(text('12345678'), finish);

    expect(metered(text('12345678'), finish, lie)).toMatchObject(honest);
    expect(metered(lie, text('12345678'), finish)).toMatchObject(honest);
    expect(honest).toMatchObject({ figures: 'estimated', completionTokens: 2 });
    expect(isUnbelievable(text('12345678'), finish, lie)).toBe(true);
  });

  it.each<[string, Metered, Metered]>([
    ['an answer beyond the limit', tokens(3, 1_001), tokens(3, 1_000)],
    ['a prompt beyond the window', tokens(3_000_000_000, 4), tokens(100_000, 4)],
    ['the largest of numbers', tokens(3, Number.MAX_SAFE_INTEGER), tokens(3, 1_000)],
    ['more cached than there is', tokens(3, 4, 5), tokens(3, 4)],
    ['more cached than the window', tokens(3e9, 4, 2e9), tokens(100_000, 4)],
  ])('that has %s costs what it is at the most', (_, lie, most) => {
    expect(metered(text('hi'), finish, lie)).toEqual({
      ...metered(text('hi'), finish, most),
      figures: 'estimated',
    });
    expect([lie, most].map((each) => isUnbelievable(text('hi'), finish, each))).toEqual([
      true,
      false,
    ]);
  });

  it('may count all that the request predicts, beside its limit', () => {
    const prediction = { type: 'content', content: 'x'.repeat(24_000) };
    const predicting = { ...request, max_tokens: 10, prediction };
    const outcome = (completion: number) => {
      const meter = new CompletionMeter(model, predicting);
      for (const each of [text('hi'), finish, tokens(3, completion)]) meter.observe(each);
      return meter.outcome();
    };

    expect(outcome(4_005)).toMatchObject({ figures: 'exact', completionTokens: 4_005 });
    expect(outcome(1_000_000).costNanoUsd).toBeLessThanOrEqual(maxCostNanoUsd(model, predicting));
  });

  it('that is higher never costs less', () => {
    const near = (limit: number) =>
      fc.oneof(fc.nat(limit + 5), fc.integer({ min: limit - 5, max: limit + 5 }), fc.maxSafeNat());
    const more = fc.oneof(fc.nat(5), fc.maxSafeNat());
    fc.assert(
      fc.property(
        near(model.contextWindow),
        near(model.maxOutputTokens),
        fc.double({ min: 0, max: 1, noNaN: true }),
        more,
        more,
        fc.string(),
        (prompt, completion, share, morePrompt, moreCompletion, said) => {
          // A usage of 0 and 0 reports nothing. An estimate stands for it.
          fc.pre(prompt + completion > 0);
          const cached = Math.floor(Math.min(prompt, model.contextWindow) * share);
          const cost = (...of: [number, number]) =>
            metered(text(said), finish, tokens(...of, cached)).costNanoUsd;

          const less = cost(prompt, completion);

          expect(cost(prompt + morePrompt, completion + moreCompletion)).toBeGreaterThanOrEqual(
            less,
          );
        },
      ),
    );
  });
});

describe('a usage that was told before the output ended', () => {
  const words = text('word '.repeat(500));

  it('is not what an answer costs that broke off after it', () => {
    const counted = metered(words);

    expect(metered(usage(1, 1), words)).toEqual(counted);
    expect(counted).toMatchObject({ figures: 'partial', completionTokens: 625 });
  });

  it('is not what an answer costs that ended without another', () => {
    expect(metered(usage(1, 1), words, finish)).toMatchObject({
      figures: 'estimated',
      completionTokens: 625,
    });
  });

  it('is what such an answer costs if it is more', () => {
    expect(metered(usage(70, 900), words)).toMatchObject({
      figures: 'partial',
      promptTokens: 70,
      completionTokens: 900,
    });
  });

  it('is never less than what came, if it stays the same in each chunk', () => {
    const chunk = { ...text('word '), usage: usage(1, 1).usage ?? null };

    const told = metered(...Array(500).fill(chunk));

    expect(told.completionTokens).toBeGreaterThanOrEqual(500);
  });
});

it('a usage of less than the text can be is unbelievable, and the least is paid', () => {
  const seen = [text('word '.repeat(500)), finish, usage(3, 499)];

  expect(metered(...seen)).toMatchObject({ figures: 'estimated', completionTokens: 500 });
  expect(isUnbelievable(...seen)).toBe(true);
  expect(isUnbelievable(text('word '.repeat(499)), finish, usage(3, 499))).toBe(false);
});

describe('an output that is longer than the call allows', () => {
  const limited = { ...request, max_tokens: 10 };
  const meterOf = (of: Model, asked: object, ...seen: Metered[]) => {
    const meter = new CompletionMeter(of, { ...request, ...asked });
    for (const each of seen) meter.observe(each);
    return meter;
  };
  const choice = (index: number, content: string, finish_reason: string | null = null) =>
    ({ choices: [{ index, delta: { content }, finish_reason }] }) as Metered;

  it('costs what its usage says, as far as its text can be so much', () => {
    const told = meterOf(model, limited, text('word '.repeat(50)), finish, usage(3, 60));
    const lie = meterOf(model, limited, text('word '.repeat(50)), finish, usage(3, 1e9));

    expect(told.outcome()).toMatchObject({ figures: 'exact', completionTokens: 60 });
    expect([told.isBeyondLimit, told.isUnbelievable]).toEqual([true, false]);
    expect(lie.outcome()).toMatchObject({ figures: 'estimated', completionTokens: 250 });
    expect(lie.isUnbelievable).toBe(true);
  });

  it('is estimated from its text without a usage, and within the limit if it can be', () => {
    const beyond = meterOf(model, limited, text('word '.repeat(50)), finish);
    const within = meterOf(model, limited, text('x'.repeat(250)), finish);

    expect(beyond.outcome().completionTokens).toBe(63);
    expect(beyond.isBeyondLimit).toBe(true);
    expect(within.outcome().completionTokens).toBe(10);
    expect(within.isBeyondLimit).toBe(false);
  });

  it('costs no more than its own prompt and text, whatever is told of the prompt', () => {
    const meter = meterOf(model, limited, text('word '.repeat(50)), finish, usage(90_000, 60));

    expect(meter.outcome().promptTokens).toBe(90_000);
    expect(meter.outputNanoUsd()).toBeLessThan(200_000 + 60 * 10_000);
  });

  it('has to be ended in each choice that goes on, once the words of all are too many', () => {
    const meter = meterOf(model, { max_tokens: 10, n: 3 });
    const seen = [];
    for (let words = 0; words < 11; words++) {
      for (const index of [0, 1, 2]) {
        if (index === 1 && words > 4) continue;
        meter.observe(choice(index, 'word ', index === 1 && words === 4 ? 'stop' : null));
        seen.push(meter.overdueChoices);
      }
    }
    for (let words = 0; words < 4; words++) meter.observe(choice(2, 'word '));

    expect(seen.flat()).toEqual([]);
    expect(meter.overdueChoices).toEqual([0, 2]);
  });

  it('has to be ended although each chunk says that it has', () => {
    const meter = meterOf(model, limited);
    const seen = [];
    for (let words = 0; words < 11; words++) {
      meter.observe(choice(0, 'word ', 'stop'));
      seen.push(meter.overdueChoices.length);
    }

    expect(seen).toEqual([...Array(10).fill(0), 1]);
  });

  it('needs no end where it came whole, with the reason of its end', () => {
    expect(meterOf(model, limited, choice(0, 'word '.repeat(50), 'stop')).overdueChoices).toEqual(
      [],
    );
  });

  it('is told by what a model writes to a custom tool', () => {
    const custom = { name: 'look', input: 'word '.repeat(50) };
    const choices = [{ delta: { tool_calls: [{ index: 0, type: 'custom', custom }] } }];

    expect(meterOf(model, limited, { choices }).overdueChoices).toEqual([0]);
  });

  it('goes on if it is free and has no limit but the model’s', () => {
    const free = { ...model, usdPerMillionTokens: { input: 0, output: 0 } };
    const long = choice(0, 'word '.repeat(1_001));

    expect(meterOf(free, {}, long).overdueChoices).toEqual([]);
    expect(meterOf(free, { max_tokens: 10 }, long).overdueChoices).toEqual([0]);
    expect(meterOf(model, {}, long).overdueChoices).toEqual([0]);
  });

  it('is not told by text that the model did not write', () => {
    const annotations = [{ type: 'url_citation', url_citation: { title: 'word '.repeat(50) } }];
    const audio = { data: 'A'.repeat(10_000), transcript: 'word '.repeat(50) };
    const choices = [{ delta: { content: 'hi', annotations, audio } }];

    expect(meterOf(model, limited, { choices }).overdueChoices).toEqual([]);
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

const tiered = { ...model, serviceTiers: { priority: { input: 2, output: 20 } } };

it('the service tier that was asked for is paid where the answer names none', () => {
  const costAs = (service_tier?: string | null) => {
    const meter = new CompletionMeter(tiered, { ...request, service_tier: 'priority' });
    meter.observe({ ...usage(3, 4), ...finish, service_tier });
    return meter.outcome().costNanoUsd;
  };

  expect([costAs(), costAs(null), costAs('priority')]).toEqual([86_000, 86_000, 86_000]);
  expect(costAs('default')).toBe(43_000);
});

it('a provider’s batches cost half in each service tier', () => {
  const costIn = (of: Model, service_tier?: string) => {
    const meter = new CompletionMeter(of, { ...request, service_tier: 'priority' });
    meter.observe({ ...usage(3, 4), ...finish, service_tier });
    return meter.outcome().costNanoUsd;
  };

  for (const told of ['priority', undefined]) {
    expect(costIn(tiered, told)).toBe(86_000);
    expect(costIn(atBatchPrice(tiered), told)).toBe(43_000);
  }
  expect(atBatchPrice(model)).not.toHaveProperty('serviceTiers');
});

it('the service tier that the answer names is what is paid', () => {
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
        { choices: [choices] } as Metered,
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

describe('tokens of thoughts', () => {
  const thoughts = (total_tokens: number, reasoning_tokens = 5) =>
    usage(3, 4, { total_tokens, completion_tokens_details: { reasoning_tokens } });

  it('are paid as output where a provider counts them beside it', () => {
    const outcome = metered(text('hi'), finish, thoughts(12));

    expect(outcome).toMatchObject({ figures: 'exact', completionTokens: 9, costNanoUsd: 93_000 });
  });

  it('are paid as output where a provider counts them in the total alone', () => {
    const ofGoogle = (total_tokens: number) => usage(9, 3, { total_tokens });
    const outcome = metered(text('1, 2'), ofGoogle(105), finish, ofGoogle(109));

    expect(outcome).toMatchObject({
      figures: 'exact',
      completionTokens: 100,
      costNanoUsd: 1_009_000,
    });
  });

  it('are paid where they are as many as the cached tokens, if they are named', () => {
    const details = {
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };

    expect(metered(finish, usage(3, 4, { total_tokens: 9, ...details })).completionTokens).toBe(6);
  });

  it('are not paid where the provider counts none', () => {
    expect(metered(text('hi'), finish, thoughts(11, 0)).completionTokens).toBe(4);
  });

  it('are no part of a usage that counts nothing else', () => {
    const outcome = metered(text('hi'), finish, usage(0, 0, { total_tokens: 500 }));

    expect(outcome.figures).toBe('estimated');
    expect(outcome.completionTokens).toBeLessThan(500);
  });

  it('are paid as far as the call allows', () => {
    const outcome = metered(text('hi'), finish, usage(3, 4, { total_tokens: 1e9 }));

    expect(outcome).toMatchObject({ figures: 'estimated', completionTokens: 1000 });
  });

  const cached = { total_tokens: 9, prompt_tokens_details: { cached_tokens: 2 } };
  it.each([
    ['among the output', thoughts(7, 2)],
    ['in another total', thoughts(11)],
    ['that are no count', thoughts(1, -6)],
    ['where the total has the cached tokens twice', usage(3, 4, cached)],
    ['where the total is too low', usage(3, 4, { total_tokens: 2 })],
  ])('are not paid twice %s', (_, seen) => {
    expect(metered(text('hi'), finish, seen)).toMatchObject({ completionTokens: 4 });
  });
});
