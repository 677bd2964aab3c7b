import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FunctionHost } from '../../../lib/local/lambda/function-host.ts';
import { quotaOf } from '../../../lib/local/lambda/quota.ts';
import { poll } from '../../support/servers/poll.ts';
import { commandLine } from '../../support/servers/processes.ts';
import { TinyFunctions } from './tiny-functions.ts';

let functions: TinyFunctions;

beforeEach(() => {
  functions = new TinyFunctions();
});
afterEach(() => functions.close());

const exitError = { name: 'Error', errorType: 'Runtime.ExitError' };

describe('a function', () => {
  it('answers with what its handler returns, and keeps its module between invocations', async () => {
    const host = functions.start('return { echo: event, calls };');

    const first = await host.invoke({ n: 1 });
    const second = await host.invoke({ n: 2 });

    expect([first, second]).toEqual([
      { echo: { n: 1 }, calls: 1 },
      { echo: { n: 2 }, calls: 2 },
    ]);
  });

  it('is throttled beyond the quota that it shares, and runs again once another has ended', async () => {
    const quota = quotaOf('1');
    const { promise: running, resolve: end } = Promise.withResolvers<string>();
    const first = quota.run(() => running);

    const second = quota.run(async () => 'second');
    await expect(second).rejects.toMatchObject({ errorType: 'TooManyRequestsException' });
    end('first');

    expect(await first).toBe('first');
    expect(await quota.run(async () => 'third')).toBe('third');
    expect(() => quotaOf('ten')).toThrow('QUIRE_CONCURRENCY is a whole number from 1, not "ten".');
  });

  it('sees its own environment and no other', async () => {
    const host = functions.start('return process.env;');

    const environment = await host.invoke({});

    expect(environment).toMatchObject({ COLOUR: 'red', AWS_LAMBDA_FUNCTION_NAME: 'tiny' });
    expect(environment).not.toHaveProperty('PATH');
  });

  it('loads fetch no sooner than it fetches', async () => {
    const host = functions.start(`
      await import('node:http');
      return process.moduleLoadList.filter((name) => name.includes('undici'));`);

    expect(await host.invoke({})).toEqual([]);
  });

  it('sees how much of its time is left', async () => {
    const host = functions.start('return context.getRemainingTimeInMillis();', {
      timeoutMs: 7_000,
    });

    const leftMs = await host.invoke({});

    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(7_000);
  });

  it('that returns nothing answers null', async () => {
    const host = functions.start('');

    expect(await host.invoke({})).toBeNull();
  });

  it('that throws fails one invocation, and its module lives on', async () => {
    const host = functions.start("if (event.fail) throw new TypeError('no'); return calls;");

    const [failed, other] = await Promise.allSettled([
      host.invoke({ fail: true }),
      host.invoke({}),
    ]);

    expect(failed).toMatchObject({ reason: { errorType: 'TypeError', message: 'no' } });
    expect(other).toMatchObject({ value: 2 });
    expect(await host.invoke({})).toBe(3);
  });

  it('that answers more than Lambda carries fails that invocation', async () => {
    const host = functions.start("return 'x'.repeat(event.length);");

    const tooLarge = host.invoke({ length: 6_291_555 });

    await expect(tooLarge).rejects.toMatchObject({ errorType: 'Function.ResponseSizeTooLarge' });
    expect(await host.invoke({ length: 6_291_554 })).toHaveLength(6_291_554);
  });
});

describe.each([
  ['thread', undefined],
  ['process', 2],
])('a function whose %s dies', (_kind, maxProcesses) => {
  it.each([
    ['by process.exit', 'process.exit(3);'],
    [
      'of an exception that nobody catches',
      "setTimeout(() => { throw new Error('boom'); }); await new Promise(() => {});",
    ],
    [
      'of a rejection that nobody handles',
      "Promise.reject(new Error('boom')); await new Promise(() => {});",
    ],
    ['of memory', 'const held = []; for (;;) held.push(new Array(1e5).fill(calls));'],
  ])('%s fails what ran in it, and starts afresh', async (_, death) => {
    const host = functions.start(
      `
      if (event === 'wait') return new Promise(() => {});
      if (event === 'die') { ${death} }
      return calls;`,
      { maxProcesses },
    );
    const owner = 'key';
    await host.invoke('live');

    const ends = await Promise.allSettled(
      ['wait', 'die'].map((event) => host.invoke(event, undefined, { owner })),
    );

    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: exitError });
    expect(host.inFlight).toBe(0);
    expect(await host.invoke('live')).toBe(1);
  });

  it('tells of the exception that killed it', async () => {
    const host = functions.start(
      "setTimeout(() => { throw new Error('boom'); }); await new Promise(() => {});",
      { maxProcesses },
    );

    await host.invoke({}).catch(() => {});

    expect(functions.lines.join('\n')).toContain('Error: boom');
  });

  it.each([
    ['waits', 'await new Promise(() => {});'],
    ['computes', 'for (;;);'],
  ])(
    'as it %s beyond its time fails, and the next invocation has a fresh one',
    { tags: 'exhaustive' },
    async (_, body) => {
      const host = functions.start(`if (event === 'live') return calls; ${body}`, {
        timeoutMs: 1_000,
        maxProcesses,
      });
      const late = host.invoke('late');

      await expect(late).rejects.toMatchObject({
        errorType: 'Sandbox.Timedout',
        message: 'Task timed out after 1.00 seconds',
      });
      expect(await host.invoke('live')).toBe(1);
      expect(host.inFlight).toBe(0);
    },
  );
});

describe('a function in processes', () => {
  const waiting = 'if (event.wait) await new Promise(() => {}); return process.pid;';
  const start = (maxProcesses: number) => functions.start(waiting, { maxProcesses });
  const pidOf = async (host: FunctionHost, owner: string) =>
    Number(await host.invoke({}, undefined, { owner }));

  it('runs calls for different callers in different ones, as far as there are enough', async () => {
    const host = start(2);
    const first = await pidOf(host, 'first');
    const running = ['first', 'second'].map((owner) =>
      host.invoke({ wait: true }, undefined, { owner }).catch(() => {}),
    );

    const pids = [await pidOf(host, 'first'), await pidOf(host, 'second')];

    expect(pids[0]).toBe(first);
    expect(new Set(pids).size).toBe(2);
    expect(pids).toContain(await pidOf(host, 'third'));
    await host.close();
    await Promise.all(running);
  });

  it('loses the calls of the one that is killed and no others, says so in a line and starts it again', async () => {
    const host = start(2);
    const ends = ['first', 'second'].map((owner) =>
      host.invoke({ wait: true }, undefined, { owner }).catch((error: Error) => error.message),
    );
    const [first, second] = [await pidOf(host, 'first'), await pidOf(host, 'second')];

    process.kill(first, 'SIGKILL');

    expect(await ends[0]).toBe("The function's process ended by SIGKILL");
    expect(host.inFlight).toBe(1);
    expect(await pidOf(host, 'second')).toBe(second);
    expect(await pidOf(host, 'first')).not.toBe(first);
    expect(functions.lines.filter((line) => line.includes('SIGKILL'))).toEqual([
      expect.stringContaining('tiny ended by SIGKILL, with 1 calls under way; it starts again'),
    ]);
    await host.close();
    await ends[1];
  });

  it('has one that is out of memory say no more than that', async () => {
    const host = functions.start("const held = []; for (;;) held.push('secret ' + held.length);", {
      maxProcesses: 1,
    });

    await expect(host.invoke({})).rejects.toThrow("The function's process ended out of memory");

    expect(functions.lines).toEqual([
      expect.stringContaining('tiny ended out of memory, with 1 calls under way'),
    ]);
  });

  it('ends one that has had no call for a while', async () => {
    const host = functions.start('return process.pid;', { maxProcesses: 2, idleMs: 50 });
    const pid = await pidOf(host, 'key');

    await poll(
      () => commandLine(pid),
      (line) => line === '',
    );

    expect(functions.lines).toEqual([]);
  });

  it('ends them when the stage is killed', async () => {
    const script = join(mkdtempSync(join(tmpdir(), 'quire-host-')), 'host.mjs');
    writeFileSync(
      script,
      `import { FunctionHost } from ${JSON.stringify(new URL('../../../lib/local/lambda/function-host.ts', import.meta.url))};
      const host = new FunctionHost(${JSON.stringify(start(1).config)}, { functionLine() {} });
      console.log(await host.invoke({}));`,
    );
    const stage = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = Number(String((await once(stage.stdout, 'data'))[0]));

    stage.kill('SIGKILL');

    expect(pid).toBeGreaterThan(0);
    await poll(
      () => commandLine(pid),
      (line) => line === '',
    );
  });
});

describe('a bundle that does not load', () => {
  it.each([
    ['throws', "throw new Error('no configuration');"],
    ['exits', 'process.exit(1);'],
    ['is no JavaScript', 'const const;'],
  ])('because it %s fails each invocation', async (_, preamble) => {
    const host = functions.start('return 1;', { preamble });

    await expect(host.invoke({})).rejects.toMatchObject(exitError);
    await expect(host.invoke({})).rejects.toMatchObject(exitError);
  });
});
