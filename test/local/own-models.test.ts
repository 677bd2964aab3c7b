import { expect, it } from 'vitest';
import { call, chatJob, submit, until } from '../support/servers/api.ts';
import { runCommand } from '../support/servers/command.ts';
import { post } from '../support/servers/event-reader.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useOwnStages } from '../support/servers/own-stages.ts';

const stub = await useModelStub();
const stages = useOwnStages();

const env = { OPENAI_BASE_URL: stub.url, OPENAI_API_KEY: 'x', QUIRE_ASSEMBLY: '' };

it('a stage offers what an OpenAI-compatible server serves, without a catalogue', {
  tags: 'exhaustive',
  timeout: 180_000,
}, async () => {
  const args = ['--model', 'llama3.2', '--model', 'qwen3=1,2', '--embedding-model', 'nomic'];
  const stage = await stages.start({ memory: true, env, args });
  const { dataDir } = stage;
  const messages = [{ role: 'user', content: 'Hello' }];
  const ask = (model: string) =>
    call<object>(stage, 'POST', '/v1/chat/completions', { model, messages });

  const { body: list } = await call<{ data: object[] }>(stage, 'GET', '/v1/models');
  const answers = [await ask('llama3.2'), await ask('qwen3'), await ask('gpt-5-mini')];
  await (await post(stage, '/chat/stream', { message: 'Hello' })).text();
  const job = await submit(stage, chatJob('Hello'));
  const done = await until(stage, job.id);
  const create = (models: string) =>
    runCommand('keys', dataDir, [
      'create',
      '--name',
      models,
      '--models',
      models,
      '--data',
      dataDir,
    ]);
  const keys = [await create('llama3.2'), await create('gpt-5-mini')];

  const vectors = { data: [{ index: 0, embedding: [1, 2, 3] }], usage: { prompt_tokens: 1 } };
  stub.respond({ kind: 'pieces', pieces: [JSON.stringify(vectors)] });
  const embedded = await call(stage, 'POST', '/v1/embeddings', {
    ...{ model: 'nomic', input: 'Hello', encoding_format: 'float' },
  });

  expect(embedded).toMatchObject({ status: 200, body: { data: [{ embedding: [1, 2, 3] }] } });
  expect(list.data).toMatchObject([
    { id: 'llama3.2', owned_by: 'own' },
    { id: 'qwen3', owned_by: 'own' },
    { id: 'nomic', owned_by: 'own' },
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(done).toMatchObject({ status: 'done', model: 'llama3.2', result: { cost_usd: 0 } });
  expect(stub.requests.map(({ model }) => model)).toEqual([
    'llama3.2',
    'qwen3',
    'llama3.2',
    'llama3.2',
    'nomic',
  ]);
  expect(stub.requests[0]?.headers.authorization).toBe('Bearer x');
  expect(keys.map(({ code }) => code)).toEqual([0, 1]);
  expect(stage.lines.join('\n')).toContain(`models    llama3.2, qwen3=1,2, nomic, at ${stub.url}`);
});

it.each([
  [['--model', 'llama3.2'], { OPENAI_BASE_URL: 'https://models.example/v1' }, /has no known price/],
  [['--model', 'a', '--price', '1'], {}, /A model is named as in llama3\.2/],
  [['--model', 'a'], { QUIRE_ASSEMBLY: 'cdk.out' }, /takes no QUIRE_ASSEMBLY/],
])('%j is refused in one sentence', async (args, more, sentence) => {
  const start = stages.start({ memory: true, args, env: { ...env, ...more } });

  await expect(start).rejects.toThrow(sentence);
});
