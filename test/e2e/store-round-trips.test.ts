import { beforeAll, expect, it } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { createTeam } from '../../shared/keys/team.ts';
import { call, type Target } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';
import { useLoggedStore } from './store-log.ts';

const store = await useLoggedStore();
const model = await useModelStub();
const stage = await useOwnStage({
  memory: true,
  env: { AWS_ENDPOINT_URL_DYNAMODB: store.url, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'stub' },
});

let inTeam: Target;

beforeAll(async () => {
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_DYNAMODB: store.url,
    KEYS_TABLE: stage.outputs['KeysTable'],
    LEDGER_TABLE: stage.outputs['LedgerTable'],
  });
  const team = await createTeam({ name: 'counted', budget_usd: 100, duration: '1mo' });
  const { api_key } = await issueKey('in a team', { ...defaultLimits, team: team.id });
  inTeam = { base_url: stage.base_url, api_key };
  await complete(false);
  await complete(false, inTeam);
});

/** What a completion asks of the store, before the model is asked and in all. */
async function operationsOf(stream: boolean, target?: typeof inTeam) {
  const before = store.operations.length;
  let beforeModel: string[] = [];
  model.respond(() => {
    beforeModel = store.operations.slice(before);
    return undefined;
  });
  await complete(stream, target);
  const all = store.operations.slice(before);
  // A process reads circuits once a second at most, while it holds: no call waits for that by itself.
  expect(beforeModel.filter(isRead).length).toBeLessThanOrEqual(1);
  expect(all.filter(isRead)).toEqual(beforeModel.filter(isRead));
  return {
    beforeModel: beforeModel.filter((each) => !isRead(each)),
    all: all.filter((each) => !isRead(each)),
  };
}

const isRead = (operation: string) => operation === 'Query';

it.each([false, true])(
  'waits for the store once before the model and asks it three times in all (stream: %s)',
  async (stream) => {
    const { beforeModel, all } = await operationsOf(stream);

    expect(beforeModel).toEqual(['UpdateItem']);
    // The charge and the account are written at once.
    expect(all.slice(1).toSorted()).toEqual(['PutItem', 'UpdateItem']);
  },
);

it.each([false, true])(
  'asks the store for a key in a team twice at once before the model and five times in all (stream: %s)',
  async (stream) => {
    const { beforeModel, all } = await operationsOf(stream, inTeam);

    expect(beforeModel).toEqual(['UpdateItem', 'UpdateItem']);
    expect(all.toSorted()).toEqual(['PutItem', ...Array(4).fill('UpdateItem')]);
  },
);

/** What `lib/COST.md` reckons with: two writes of the account, and the charge. */
const writeUnits = 3;

it('writes as many units as the table of costs says', async () => {
  const before = store.writeUnitsOf('createchatcompletion');

  await complete(false);

  expect(store.writeUnitsOf('createchatcompletion') - before).toBe(writeUnits);
});

it('writes two units more for a key in a team: its account, held and credited', async () => {
  const before = store.writeUnitsOf('createchatcompletion');

  await complete(false, inTeam);

  expect(store.writeUnitsOf('createchatcompletion') - before).toBe(writeUnits + 2);
});

async function complete(stream: boolean, caller: Target = stage): Promise<void> {
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], stream };
  if (!stream) {
    await call(caller, 'POST', '/v1/chat/completions', body);
    return;
  }
  const response = await fetch(`${caller.base_url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.api_key}` },
    body: JSON.stringify(body),
  });
  await response.text();
}
