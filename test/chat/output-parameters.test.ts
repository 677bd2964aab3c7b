import { describe, expect, it } from 'vitest';
import { type CompletionRequest, upstreamBody } from '../../shared/chat/completion-request.ts';
import { catalogue, type Model } from '../../shared/models/catalogue.ts';

const model = catalogue.models.find(({ id }) => id === 'gpt-4o') as Model;
const bodyOf = (parameters: object) =>
  upstreamBody(model, {
    model: model.id,
    messages: [{ role: 'user', content: 'hi' }],
    ...parameters,
  } as CompletionRequest);

/** The place that a refusal names; undefined for a request that is taken. */
function refusedAt(parameters: object): unknown {
  try {
    bodyOf(parameters);
    return undefined;
  } catch (error) {
    const { fields } = error as { fields?: { loc: unknown }[] };
    return fields?.[0]?.loc;
  }
}

it.each(
  Object.entries({
    'llama.cpp': ['n_predict', 'n_cmpl', 'n_probs', 'ignore_eos'],
    Ollama: ['num_predict', 'num_ctx', 'options'],
    'vLLM and SGLang': ['use_beam_search', 'best_of', 'echo', 'prompt_logprobs', 'chat_template'],
    'Hugging Face': ['max_new_tokens', 'max_length', 'num_return_sequences', 'num_beams'],
    Google: ['max_output_tokens', 'maxOutputTokens', 'candidateCount', 'generationConfig'],
    'Anthropic and Meta': ['max_tokens_to_sample', 'max_gen_len'],
    LiteLLM: ['additional_drop_params', 'num_retries'],
  }).flatMap(([server, names]) => names.map((name) => [server, name])),
)('a parameter of %s that could change how much is written is refused: %s', (_, name) => {
  expect(refusedAt({ max_tokens: 1, [name]: 7 })).toEqual(['body', name]);
  expect(refusedAt({ max_tokens: 1, [name]: null })).toBeUndefined();
});

it('is taken where the catalogue allows it to each upstream of the model', () => {
  const allows = catalogue.upstreams['openai']?.allows;
  allows?.push('ignore_eos');
  try {
    expect(bodyOf({ ignore_eos: true })).toMatchObject({ ignore_eos: true });
  } finally {
    allows?.pop();
  }
});

describe('a part of the output', () => {
  it.each([
    ['min_tokens', (tokens: number | string) => ({ min_tokens: tokens })],
    ['thinking_budget', (tokens: number | string) => ({ thinking_budget: tokens })],
    [
      'thinking.budget_tokens',
      (tokens: number | string) => ({ thinking: { budget_tokens: tokens } }),
    ],
    ['reasoning.max_tokens', (tokens: number | string) => ({ reasoning: { max_tokens: tokens } })],
  ])('that is longer than the output may be is refused: %s', (name, ofTokens) => {
    const path = ['body', ...name.split('.')];

    expect(refusedAt({ max_tokens: 100, ...ofTokens(101) })).toEqual(path);
    expect(refusedAt({ max_tokens: 100, ...ofTokens(100) })).toBeUndefined();
    expect(refusedAt(ofTokens(model.maxOutputTokens + 1))).toEqual(path);
    expect(refusedAt({ max_tokens: 100, ...ofTokens('101') })).toEqual(path);
    expect(refusedAt(ofTokens(model.maxOutputTokens))).toBeUndefined();
  });

  it.each([
    ['thinking that is off', { thinking: { type: 'disabled' } }],
    ['an effort', { reasoning: { effort: 'low' } }],
    ['words', { thinking: 'hard', reasoning: 'none', min_tokens: 'few' }],
    ['nothing', { thinking: null, reasoning: null }],
  ])('is not %s', (_, parameters) => {
    expect(bodyOf({ max_tokens: 1, ...parameters })).toMatchObject(parameters);
  });
});

it('an output may not be longer than its model’s, which is all that is held for it', () => {
  const most = model.maxOutputTokens;

  expect(bodyOf({ max_tokens: most + 1 }).max_tokens).toBe(most);
  expect(bodyOf({ max_completion_tokens: 1e12 }).max_tokens).toBe(most);
  expect(bodyOf({ max_tokens: most, max_completion_tokens: 7 }).max_tokens).toBe(7);
  expect(bodyOf({}).max_tokens).toBeUndefined();
});
