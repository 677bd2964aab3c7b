import { beforeAll, expect, it } from 'vitest';
import { readRecorded } from '../../lib/cost/recorded.ts';
import { call } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';
import { useLoggedStore } from './store-log.ts';

const store = await useLoggedStore();
const model = await useModelStub();
const stage = await useOwnStage({
  memory: true,
  env: {
    AWS_ENDPOINT_URL_DYNAMODB: store.url,
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'stub',
  },
});

beforeAll(() => complete(false));

it.each([false, true])(
  'asks the store once before the model and three times in all (stream: %s)',
  async (stream) => {
    const before = store.operations.length;
    let beforeModel: string[] = [];
    model.respond(() => {
      beforeModel = store.operations.slice(before);
      return undefined;
    });

    await complete(stream);

    const all = store.operations.slice(before);
    expect(beforeModel.filter((operation) => operation === 'UpdateItem')).toHaveLength(1);
    expect(beforeModel).toHaveLength(1);
    expect(all).toEqual(['UpdateItem', 'PutItem', 'UpdateItem']);
  },
);

it('writes as many units as the table of costs says', async () => {
  const { writeUnits } = readRecorded().counted.completion['create-chat-completion'] ?? {};
  const before = store.writeUnitsOf('createchatcompletion');

  await complete(false);

  expect(store.writeUnitsOf('createchatcompletion') - before).toBe(writeUnits);
});

async function complete(stream: boolean): Promise<void> {
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], stream };
  if (!stream) {
    await call(stage, 'POST', '/v1/chat/completions', body);
    return;
  }
  const response = await fetch(`${stage.base_url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.api_key}` },
    body: JSON.stringify(body),
  });
  await response.text();
}
