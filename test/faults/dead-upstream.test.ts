import { beforeEach, expect, it, vi } from 'vitest';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { findModel, type Model } from '../../shared/models/catalogue.ts';
import { cases } from '../support/run/cases.ts';
import { type Behaviour, useModelStub } from '../support/servers/model-stub.ts';
import { completionOf } from '../support/servers/model-stub-pieces.ts';
import { pass, useStoppedClock } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';

// A provider is dead, and each call runs in a process that has seen none of the others, as on Lambda after a burst.

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });
useStoppedClock();
vi.setConfig({ testTimeout: 300_000 });

const own = findModel('gpt-4.1') as Model;
const answer: Behaviour = { kind: 'pieces', pieces: [completionOf('hi', [10, 4])] };
const commands: string[] = [];
const answered: string[] = [];
let sentBeforeAnswer = 0;

const { timeout } = AbortSignal;
beforeEach(() => {
  // A machine that does much else takes longer to read and write circuits than a call would wait.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, 100 * ms));
});

/** Starts a process. Returns how a call is made there. */
async function newProcess() {
  vi.resetModules();
  const { dynamodb } = await import('../../shared/aws/dynamodb.ts');
  const { readCompletion } = await import('../../shared/chat/metered-call.ts');
  const { openMeteredCall } = await import('../support/worlds/model-calls.ts');
  dynamodb.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        commands.push(commandName);
        const output = await next(args);
        answered.push(commandName);
        if (answered.length === 1) sentBeforeAnswer = commands.length;
        return output;
      },
    { step: 'initialize' },
  );
  return async (keyId: string, models: string[]): Promise<{ error?: unknown }> => {
    try {
      const call = await openMeteredCall({
        keyId,
        model: { ...own, upstreams: models.map((model) => ({ upstream: 'openai', model })) },
        body: { model: own.id, messages: [{ role: 'user', content: 'x' }], max_tokens: 9 },
        subject: { tags: ['chat'] },
        signal: new AbortController().signal,
      });
      readCompletion(call);
      await call.end();
      return {};
    } catch (error) {
      return { error };
    }
  };
}

/** After how many calls others are expected to leave the provider alone, and how many there are. */
const settledCalls = cases(40, 220);
const allCalls = cases(60, 300);

async function openKeys(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `key_${crypto.randomUUID()}`);
  const limits = {
    budget_usd: 10,
    duration: null,
    requests_per_minute: null,
    max_concurrent: null,
  };
  for (const id of ids) await openAccount(id, new Date().toISOString(), limits);
  return ids;
}

it('a call that finds all well reads once beside its hold, and writes nothing more', async () => {
  const [key = ''] = await openKeys(1);
  stub.respond(() => answer);
  commands.length = 0;
  answered.length = 0;
  const ask = await newProcess();

  await ask(key, ['well']);

  expect(sentBeforeAnswer).toBe(2);
  expect(commands.slice(0, 2).toSorted()).toEqual(['QueryCommand', 'UpdateItemCommand']);
  expect(commands.toSorted()).toEqual([
    'PutItemCommand',
    'QueryCommand',
    'UpdateItemCommand',
    'UpdateItemCommand',
  ]);
});

it.each<[string, string[]]>([
  ['go to the next provider', ['dead', 'alive']],
  ['are refused at once where there is no other', ['dead-alone']],
])(
  'within seconds of a provider’s death calls %s, but for a few that try again',
  async (_, models) => {
    const keys = await openKeys(4);
    stub.respond(({ model }) =>
      model.startsWith('dead') ? { kind: 'status', status: 503 } : answer,
    );
    let settledAt = Number.POSITIVE_INFINITY;
    const seen: { at: number; error?: unknown }[] = [];

    while (seen.length < allCalls) {
      const ask = await newProcess();
      const at = Date.now();
      if (seen.length === settledCalls) settledAt = at;
      const key = keys[seen.length % keys.length] ?? '';
      seen.push({ at, ...(await ask(key, models)) });
      pass(cases(100, 50));
    }

    const isLate = ({ at }: { at: number }) => at >= settledAt;
    const tries = stub.requests.filter((each) => each.model === models[0] && isLate(each));
    expect(tries.length).toBeLessThanOrEqual(seen.filter(isLate).length / 3);
    expect(seen.filter(({ error }) => error)).toHaveLength(models.length > 1 ? 0 : allCalls);
  },
);
