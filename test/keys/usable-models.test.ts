import { expect, it } from 'vitest';
import {
  describeModel,
  listModels,
  requireEmbeddingModel,
  requireModel,
} from '../../shared/chat/models.ts';
import type { Caller } from '../../shared/http/caller.ts';
import { checkSubmission, type JobSubmission } from '../../shared/jobs/routes/submission.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { isUsable, noSuchModel, usableModel } from '../../shared/keys/usable-models.ts';

const models = ['gpt-5-nano'];
const caller: Caller = { keyId: 'key_1', limits: JSON.stringify({ ...defaultLimits, models }) };
const job = (model: string | null) =>
  ({
    ...{ job_type: 'chat', model, inline: { messages: [{ role: 'user', content: 'Hi' }] } },
    ...{
      drive: null,
      file_id: null,
      priority: 10,
      max_retries: 3,
      pipeline: null,
      pipeline_instruction: null,
      extract: null,
    },
  }) as unknown as JobSubmission;
const saidBy = (act: () => unknown): string => {
  try {
    act();
    return 'nothing';
  } catch (error) {
    return (error as Error).message;
  }
};

it('a model’s misspelled name is told with the one that was meant, if the key may use it', () => {
  const anybody = { ...caller, limits: JSON.stringify(defaultLimits) };

  expect(saidBy(() => requireModel(anybody, 'gpt5-mini'))).toBe(
    'The model gpt5-mini does not exist. Did you mean gpt-5-mini? GET /v1/models lists those that do.',
  );
  expect(saidBy(() => requireModel(caller, 'gpt5-mini'))).not.toContain('gpt-5-mini?');
});

it('a model of another use is not told as the one that was meant', () => {
  const anybody = { ...caller, limits: JSON.stringify(defaultLimits) };

  expect(saidBy(() => requireEmbeddingModel(anybody, 'gpt-5-mini'))).toBe(
    'The model gpt-5-mini makes no embeddings. GET /v1/models lists those that do.',
  );
  expect(saidBy(() => requireModel(anybody, 'text-embedding-3-small'))).toMatch(
    /does not chat\. GET/,
  );
  expect(saidBy(() => requireEmbeddingModel(anybody, 'text-embeding-3-small'))).toContain(
    'Did you mean text-embedding-3-small?',
  );
});

it('a key finds the models that it may use, to chat and to read, and no other', () => {
  expect(usableModel(models, 'gpt-5-nano')?.id).toBe('gpt-5-nano');
  expect(usableModel(models, 'gpt-5')).toBeUndefined();
  expect(usableModel(null, 'no-such-model')).toBeUndefined();
  expect(isUsable(null, 'textract')).toBe(true);
  expect(isUsable(models, 'textract')).toBe(false);
  expect(listModels(caller).data.map(({ id }) => id)).toEqual(models);
});

it('an unknown model and one that the key may not use are refused in the same words', () => {
  const places = [
    (id: string) => requireModel(caller, id),
    (id: string) => describeModel(caller, id),
    (id: string) => checkSubmission(job(id), caller),
  ];

  for (const refuse of places) {
    const unknown = saidBy(() => refuse('no-such-model'));
    const denied = saidBy(() => refuse('gpt-5'));

    expect(denied.replaceAll('gpt-5 ', 'no-such-model ')).toBe(unknown);
    expect(saidBy(() => refuse('gpt-5-nano'))).toBe('nothing');
  }
});

it('no error names a model that the key may not use', () => {
  expect(saidBy(() => checkSubmission(job('no-such-model'), caller))).toBe(
    'body.model: no such model, or not one that this API key may use; it may use gpt-5-nano',
  );
  expect(saidBy(() => checkSubmission(job(null), caller))).not.toContain('gpt-5-mini');
  expect(noSuchModel([])).toContain('it may use none');
});
