import { beforeEach, describe, expect, it, vi } from 'vitest';
import { pass, useStoppedClock } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';

// Each call of a function may run in another process, so each of these has modules of its own.

await useStore();

/** The commands that all processes have sent to the store. */
const sent: string[] = [];
let name = '';
let names = 0;

const { timeout } = AbortSignal;

useStoppedClock();
beforeEach(() => {
  name = `upstream-${names++}`;
  // A machine that does much else takes longer than a call would wait.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, 100 * ms));
});

/** A process that has seen nothing yet, and has read what the others know. */
async function newProcess() {
  vi.resetModules();
  const { dynamodb } = await import('../../shared/aws/dynamodb.ts');
  dynamodb.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        sent.push(commandName);
        return next(args);
      },
    { step: 'initialize' },
  );
  const circuit = await import('../../shared/models/circuit.ts');
  const { changeCircuit, readCircuits } = await import('../../shared/models/shared-circuits.ts');
  await readCircuits();
  const change = <Result>(make: () => Result) => changeCircuit(name, make);
  return {
    admit: (key: string) => change(() => circuit.admit(name, key)),
    fail: (key: string) => change(() => circuit.recordFailure(name, key)),
    succeed: (key: string) => change(() => circuit.recordSuccess(name, key)),
    endSilently: (key: string) => change(() => circuit.recordNothing(name, key)),
  };
}

async function fail(times: number, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    for (let n = 0; n < times; n++) await (await newProcess()).fail(key);
  }
}

const admitted = async (key: string) => (await newProcess()).admit(key);

describe('a circuit, with a process for each call', () => {
  it('pauses a key after three failures, and no other', async () => {
    await fail(2, 'one');
    expect(await admitted('one')).toBeUndefined();

    await fail(1, 'one');

    expect(await admitted('one')).toEqual({ waitMs: 1_000, isForAll: false });
    expect(await admitted('other')).toBeUndefined();
  });

  it('opens for all where two keys fail three times each, and closes at one success', async () => {
    await fail(3, 'one', 'two');
    expect(await admitted('three')).toEqual({ waitMs: 1_000, isForAll: true });

    await (await newProcess()).succeed('three');

    expect(await admitted('three')).toBeUndefined();
    expect(await admitted('one')).toBeUndefined();
  });

  it('stays closed where calls of others succeed in other processes', async () => {
    await fail(1, 'one');
    await (await newProcess()).succeed('three');

    await fail(3, 'one', 'two');

    expect(await admitted('three')).toBeUndefined();
  });

  it('forgets a key’s failures at its success in another process', async () => {
    await fail(2, 'one');
    await (await newProcess()).succeed('one');

    await fail(2, 'one');

    expect(await admitted('one')).toBeUndefined();
  });

  it('has one process try again, of many that ask at once', async () => {
    await fail(3, 'one', 'two');
    pass(1_000);
    const processes = await Promise.all(Array.from({ length: 6 }, newProcess));

    const pauses = await Promise.all(processes.map(({ admit }, n) => admit(`key ${n}`)));

    expect(pauses.filter((pause) => pause === undefined)).toHaveLength(1);
  });

  it.each([-5_000, 5_000])('has one try again though clocks differ by %i ms', async (ms) => {
    await fail(3, 'one', 'two');
    pass(10_000);
    expect(await admitted('three')).toBeUndefined();

    pass(ms);

    expect(await admitted('four')).toMatchObject({ isForAll: true });
  });

  it('has another try again where the one that did ended without showing anything', async () => {
    await fail(3, 'one', 'two');
    pass(1_000);
    const probe = await newProcess();
    await probe.admit('three');
    expect(await admitted('four')).toBeDefined();

    await probe.endSilently('three');

    expect(await admitted('four')).toBeUndefined();
  });

  it('counts every failure of calls that fail at once', async () => {
    const processes = await Promise.all(Array.from({ length: 3 }, newProcess));

    await Promise.all(processes.map((each) => each.fail('one')));

    expect(await admitted('one')).toMatchObject({ isForAll: false });
  });

  it('is not written while calls succeed, and for a flapping upstream twice for each failure', async () => {
    sent.length = 0;
    const writes = () => sent.filter((each) => each === 'PutItemCommand').length;
    for (let n = 0; n < 5; n++) await (await newProcess()).succeed('one');
    expect(writes()).toBe(0);

    for (let n = 0; n < 5; n++) {
      const { fail, succeed } = await newProcess();
      await fail('one');
      for (let more = 0; more < 20; more++) await succeed('one');
    }

    expect(writes()).toBe(10);
  });
});
