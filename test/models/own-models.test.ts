import { describe, expect, it } from 'vitest';
import { catalogue } from '../../shared/models/catalogue.ts';
import { withOwnModels } from '../../shared/models/own-models.ts';

const remote = 'https://models.example/v1';
const [known] = catalogue.models;

const pricesOf = (models: string[], url?: string) =>
  withOwnModels(catalogue, { models, url }).models.map(({ id, usdPerMillionTokens }) => [
    id,
    usdPerMillionTokens,
  ]);

describe('models of one’s own', () => {
  it('take the place of the catalogue’s, and the first is the default', () => {
    const own = withOwnModels(catalogue, { models: ['llama3.2:3b=1,2', 'qwen3=0,0'], url: remote });

    expect(own.models.map(({ id, upstreams }) => [id, upstreams])).toEqual([
      ['llama3.2:3b', [{ upstream: 'own', model: 'llama3.2:3b' }]],
      ['qwen3', [{ upstream: 'own', model: 'qwen3' }]],
    ]);
    expect(own.defaults).toEqual({ chat: 'llama3.2:3b', ocr: catalogue.defaults.ocr });
    expect(own.upstreams['own']).toMatchObject({ baseUrl: remote, secret: 'models' });
    expect(own.ocrEngines).toEqual(catalogue.ocrEngines);
  });

  it('leave the catalogue as it is where there are none', () => {
    expect(withOwnModels(catalogue, { models: [], url: remote })).toBe(catalogue);
  });

  it.each(['http://localhost:11434/v1', 'http://127.0.0.1:8000', 'http://[::1]:8000/v1'])(
    'cost nothing at %s unless a price is written',
    (url) => {
      expect(pricesOf(['a', 'b=1,2.5'], url)).toEqual([
        ['a', { input: 0, output: 0 }],
        ['b', { input: 1, output: 2.5 }],
      ]);
    },
  );

  it('make embeddings, of vectors whose length is not known', () => {
    const named = { models: [], embeddingModels: ['nomic-embed-text:v1.5', 'bge=0.02'] };
    const own = withOwnModels(catalogue, { ...named, url: 'http://localhost:11434/v1' });

    expect(own.embeddingModels).toMatchObject([
      { id: 'nomic-embed-text:v1.5', upstreams: [{ upstream: 'own' }], usdPerMillionTokens: 0 },
      { id: 'bge', usdPerMillionTokens: 0.02 },
    ]);
    expect(own.embeddingModels[0]).not.toHaveProperty('dimensions');
    expect(own.upstreams['own']?.dialects).toContain('embeddings');
    expect(own.models).toBe(catalogue.models);
  });

  it.each([
    ['nomic-embed-text', 'has no known price: write it in dollars for a million tokens, as in'],
    ['nomic=1,2', 'An embedding model is named as in nomic-embed-text or nomic-embed-text=0.02'],
  ])('make embeddings, but not as %s at another’s address', (text, sentence) => {
    const named = { models: ['a=0,0'], embeddingModels: [text], url: remote };

    expect(() => withOwnModels(catalogue, named)).toThrow(sentence);
  });

  it('have the catalogue’s price where its own upstream serves them', () => {
    expect(pricesOf([known?.id ?? ''])).toEqual([[known?.id, known?.usdPerMillionTokens]]);
  });

  it.each([
    ['at another’s address', ['llama3.2'], remote],
    ['at an address that only looks like this machine’s', ['llama3.2'], 'http://127.example/v1'],
    ['that the catalogue doesn’t know', ['llama3.2'], undefined],
  ])('are refused without a price %s', (_, models, url) => {
    expect(() => pricesOf(models, url)).toThrow(
      'The model llama3.2 has no known price: write it in dollars for a million tokens in and out, as in llama3.2=0.10,0.40 (0,0 if it is free).',
    );
  });

  it.each(['', '=1,2', 'a b', 'a=1', 'a=1,', 'a=-1,2', 'a=1,2,3', 'a=x,y'])(
    'are refused when they are written as %j',
    (text) => {
      expect(() => pricesOf([text], 'http://localhost')).toThrow('A model is named as in llama3.2');
    },
  );
});
