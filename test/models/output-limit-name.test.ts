import { expect, it } from 'vitest';
import { type Catalogue, catalogue, type Model } from '../../shared/models/catalogue.ts';
import { outputLimitName } from '../../shared/models/output-limit-name.ts';
import { withOwnModels } from '../../shared/models/own-models.ts';

type Upstream = Catalogue['upstreams'][string];

const [model] = catalogue.models;
const nameOf = (reasoning: boolean, name: string, upstream: Partial<Upstream>) =>
  outputLimitName({ ...model, reasoning } as Model, name, {
    ...(catalogue.upstreams['openai'] as Upstream),
    ...upstream,
  });

it.each([
  ['OpenAI', 'openai', 'https://api.openai.com/v1'],
  ['OpenAI by another name', 'theirs', 'https://eu.api.openai.com/v1'],
  ['OpenAI behind a proxy', 'openai', 'https://proxy.example/v1'],
  ['Azure', 'microsoft', 'https://acme.openai.azure.com/openai/v1'],
])(
  'a reasoning model of %s gets max_completion_tokens, and another max_tokens',
  (_, name, baseUrl) => {
    expect(nameOf(true, name, { baseUrl })).toBe('max_completion_tokens');
    expect(nameOf(false, name, { baseUrl })).toBe('max_tokens');
  },
);

it.each([
  ['DeepSeek', 'https://api.deepseek.com'],
  ['Mistral', 'https://api.mistral.ai/v1'],
  ['Ollama', 'http://localhost:11434/v1'],
  ['one that is named like OpenAI', 'https://notopenai.com/v1'],
])('every model of %s gets max_tokens', (_, baseUrl) => {
  expect(nameOf(true, 'theirs', { baseUrl })).toBe('max_tokens');
  expect(nameOf(false, 'theirs', { baseUrl })).toBe('max_tokens');
});

it('the catalogue has the last word', () => {
  expect(nameOf(true, 'openai', { outputLimitName: 'max_tokens' })).toBe('max_tokens');
  expect(nameOf(false, 'theirs', { outputLimitName: 'max_completion_tokens' })).toBe(
    'max_completion_tokens',
  );
});

it('a model of one’s own gets max_tokens', () => {
  const own = withOwnModels(catalogue, { models: ['llama3.2'], url: 'http://localhost:11434/v1' });

  for (const each of own.models) {
    const [{ upstream = '' } = {}] = each.upstreams;
    expect(outputLimitName(each, upstream, own.upstreams[upstream] as Upstream)).toBe('max_tokens');
  }
});
