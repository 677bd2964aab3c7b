import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { useFolder } from '../support/run/use-folder.ts';

const file = join(useFolder(), 'catalogue.json');
const own = new URL('../../shared/models/catalogue.json', import.meta.url);

interface Source {
  defaults: { chat: string };
  models: Record<string, unknown>[];
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
    ['half of a file', '{"models": [', `The model catalogue ${file} can't be read: `],
  ])('with %s is refused in words that name the place', async (_, text, words) => {
    await expect(load(text)).rejects.toThrow(words);
  });
});
