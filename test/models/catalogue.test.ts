import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { useFolder } from '../support/run/use-folder.ts';

const file = join(useFolder(), 'catalogue.json');
const own = new URL('../../shared/models/catalogue.json', import.meta.url);

interface Source {
  defaults: { chat: string };
  models: Record<string, unknown>[];
  upstreams: Record<string, object>;
}

/** Loads a catalogue as a deployment does that is given one of its own. */
async function load(text: string) {
  writeFileSync(file, text);
  vi.stubEnv('QUIRE_CATALOGUE', file);
  vi.resetModules();
  return (await import('../../shared/models/catalogue.ts')).catalogue;
}

function changed(change: (source: Source) => void): string {
  const source = JSON.parse(readFileSync(own, 'utf8')) as Source;
  change(source);
  return JSON.stringify(source);
}

const firstModel = ({ models: [model] }: Source) => model as Record<string, unknown>;

describe('a model catalogue', () => {
  it('is taken as it stands', async () => {
    const text = changed((source) => Object.assign(firstModel(source), { contextWindow: 4_321 }));

    const { models } = await load(text);

    expect(models[0]?.contextWindow).toBe(4_321);
  });

  it('may have the price of a model whose public one isn’t metered', async () => {
    const usdPerMillionTokens = { input: 0.3, output: 30 };
    const upstreams = [{ upstream: 'openai', model: 'gemini-2.5-flash-image' }];
    const text = changed((source) =>
      Object.assign(firstModel(source), { upstreams, usdPerMillionTokens, usdPerRequest: 0.01 }),
    );

    const { models } = await load(text);

    expect(models[0]).toMatchObject({ usdPerMillionTokens, usdPerRequest: 0.01 });
  });

  it.each([{ secret: undefined }, { awsRegion: 'us-east-1' }])(
    'has an upstream with either a secret or a region of Bedrock: not %j',
    async (given) => {
      const text = changed((source) => {
        const [upstream] = Object.values(source.upstreams);
        Object.assign(upstream ?? {}, given);
      });

      await expect(load(text)).rejects.toThrow('an upstream has either a secret or an awsRegion');
    },
  );

  it('may name the tiers of a price in any order', async () => {
    const tiers = [
      { start: 200_000, price: 3 },
      { start: 100_000, price: 2 },
    ];
    const usdPerMillionTokens = { input: { base: 1, tiers }, output: 4 };
    const text = changed((source) => Object.assign(firstModel(source), { usdPerMillionTokens }));

    const { models } = await load(text);

    expect(models[0]?.usdPerMillionTokens.input).toEqual({ base: 1, tiers: tiers.toReversed() });
  });

  it.each([
    [
      'a value of another type, and a key that there is not',
      changed((source) => Object.assign(firstModel(source), { contextWindow: '8k', contex: 1 })),
      'The model catalogue is faulty:\n' +
        '× Invalid type: Expected number but received "8k"\n  → at models.0.contextWindow\n' +
        '× Invalid key: Expected never but received "contex"\n  → at models.0.contex',
    ],
    [
      'a default that is not listed',
      changed(({ defaults }) => Object.assign(defaults, { chat: 'nobody' })),
      'The model catalogue is faulty:\n× defaults.chat is not the id of a listed model',
    ],
    [
      'no list of models',
      changed((source) => Object.assign(source, { models: { 'gpt-5-mini': {} } })),
      'The model catalogue is faulty:\n× Invalid type: Expected Array but received Object\n  → at models',
    ],
    [
      'something that is no model',
      changed(({ models }) => models.splice(0, models.length, null as never)),
      'The model catalogue is faulty:\n× Invalid type: Expected Object but received null\n  → at models.0',
    ],
    [
      'a service tier without a price that the model has',
      changed((source) =>
        Object.assign(firstModel(source), {
          usdPerMillionTokens: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 },
          serviceTiers: { priority: { input: 2, output: 10 } },
        }),
      ),
      'gpt-5.2 has no price for serviceTiers.priority.cacheWrite: write the whole price\n  → at models.0',
    ],
    [
      'a model whose public price isn’t metered',
      changed((source) =>
        Object.assign(firstModel(source), {
          upstreams: [{ upstream: 'openai', model: 'gpt-realtime' }],
        }),
      ),
      "The public price of gpt-5.2 has input_image_mtok, which isn't metered: write its whole price",
    ],
    ['half of a file', '{"models": [', `The model catalogue ${file} can't be read: `],
  ])('with %s is refused in words that name the place', async (_, text, words) => {
    await expect(load(text)).rejects.toThrow(words);
  });
});
