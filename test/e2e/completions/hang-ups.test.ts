import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../../support/servers/chat-stage.ts';
import { complete, post, question, TextReader } from '../../support/servers/event-reader.ts';
import type { ModelRequest } from '../../support/servers/model-stub.ts';
import {
  chunk,
  completionOf,
  done,
  gate,
  streamOf,
  usageChunk,
} from '../../support/servers/model-stub-pieces.ts';
import { poll } from '../../support/servers/poll.ts';
import { costUsd } from '../../support/servers/test-catalogue.ts';
import type { TestModel } from '../../support/servers/test-models.ts';

const chat = await useChatStage({ own: true });
let account: Account;

beforeEach(async () => {
  account = await chat.newAccount();
});

/** The one request that a model's upstream gets, once it is there. */
async function upstreamRequest({ upstreams }: TestModel): Promise<ModelRequest> {
  const [request] = await poll(
    () => upstreams[0]?.requests() ?? [],
    ({ length }) => length > 0,
  );
  return request as ModelRequest;
}

/** The answer was read to its end, paid in full, and nothing is held for it any more. */
async function expectPaid(
  model: TestModel,
  promptTokens: number,
  completionTokens: number,
  payer = account,
) {
  const { closed } = await upstreamRequest(model);
  expect(await closed).toBe('whole');
  expect(await endedCharges(payer)).toMatchObject([
    {
      status: 'settled',
      figures: 'exact',
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
    },
  ]);
  const budget = await budgetOf(payer);
  expect(budget.used_usd).toBe(costUsd(promptTokens, completionTokens));
  expect(budget.remaining_usd).toBeCloseTo(100 - budget.used_usd, 9);
}

/** The one line that the stage prints of a call to a model. */
async function lineOf({ id }: TestModel): Promise<string> {
  const lines = await poll(
    () => chat.lines.filter((line) => line.includes(` ${id} `)),
    ({ length }) => length > 0,
  );
  expect(lines).toHaveLength(1);
  return lines.join();
}

const ways = [
  ['a completion', '/v1/chat/completions', { messages: question }],
  ['a streamed completion', '/v1/chat/completions', { messages: question, stream: true }],
  ['a chat', '/chat/stream', { message: 'a question' }],
] as const;

describe.each(ways)('who hangs up on %s', (_, path, body) => {
  it('before the upstream answers pays for all of it', async () => {
    const begin = gate();
    async function* pieces() {
      await begin.opened;
      yield* 'stream' in body || 'message' in body
        ? streamOf(['a', 'b', 'c'], [30, 40])
        : [completionOf('abc', [30, 40])];
    }
    const model = chat.newModel('plain', { kind: 'pieces', pieces: pieces() });
    const hangUp = new AbortController();
    const asking = post(account, path, { model: model.id, ...body }, hangUp.signal).then((answer) =>
      answer.text(),
    );
    asking.catch(() => {});
    await upstreamRequest(model);

    hangUp.abort();
    begin.open();

    await expect(asking).rejects.toThrow();
    await expectPaid(model, 30, 40);
    expect(await lineOf(model)).toMatch(/hung up POST \S+ \d+ ms test \S+ 30\+40 tokens \$[\d.]+$/);
  });
});

describe.each(ways.slice(1))('who hangs up on %s', (_, path, body) => {
  it.each([
    ['after its first chunk', 'first'],
    ['in its midst', 'third'],
  ])('%s pays for all of it', async (_when, word) => {
    const goOn = gate();
    async function* pieces() {
      for (const text of ['first', 'second', 'third', 'fourth', 'fifth']) {
        yield chunk(text);
        if (text === word) await goOn.opened;
      }
      yield* [chunk({}, 'stop'), usageChunk(30, 40), done];
    }
    const model = chat.newModel('plain', { kind: 'pieces', pieces: pieces() });
    const hangUp = new AbortController();
    const reader = new TextReader(
      await post(account, path, { model: model.id, ...body }, hangUp.signal),
    );
    await reader.until(word);

    hangUp.abort();
    goOn.open();

    await expectPaid(model, 30, 40);
  });

  it('once it has read all pays for all of it', async () => {
    const model = chat.newModel('plain', { kind: 'pieces', pieces: streamOf(['a'], [30, 40]) });
    const hangUp = new AbortController();
    const reader = new TextReader(
      await post(account, path, { model: model.id, ...body }, hangUp.signal),
    );
    await reader.until('"stop"');

    hangUp.abort();

    await expectPaid(model, 30, 40);
  });

  it('pays for what came where the upstream breaks off after that', async () => {
    const goOn = gate();
    async function* pieces() {
      yield chunk('12345678');
      await goOn.opened;
      yield chunk('1234');
    }
    const model = chat.newModel('plain', { kind: 'pieces', pieces: pieces(), ending: 'cut' });
    const hangUp = new AbortController();
    const reader = new TextReader(
      await post(account, path, { model: model.id, ...body }, hangUp.signal),
    );
    await reader.until('12345678');

    hangUp.abort();
    goOn.open();

    expect(await endedCharges(account)).toMatchObject([
      { status: 'settled', figures: 'partial', completion_tokens: 3 },
    ]);
    const { used_usd, remaining_usd } = await budgetOf(account);
    expect(remaining_usd).toBeCloseTo(100 - used_usd, 9);
  });
});

it('who hangs up after the last word has read all, in the stage’s log', async () => {
  const end = gate();
  async function* pieces() {
    yield* streamOf(['a'], [30, 40]);
    await end.opened;
  }
  const model = chat.newModel('plain', { kind: 'pieces', pieces: pieces() });
  const hangUp = new AbortController();
  const body = { model: model.id, stream: true };
  const reader = new TextReader(await complete(account, body, hangUp.signal));
  await reader.until('[DONE]');

  hangUp.abort();
  end.open();

  await expectPaid(model, 30, 40);
  expect(await lineOf(model)).toMatch(/ 200 POST /);
});

describe('a reader who doesn’t read', () => {
  const megabyte = 2 ** 20;
  const text = 'x'.repeat(megabyte / 8);
  /** As many as the longest answer here can be. */
  const tokens = 400_000;

  /** The stage's memory, in MB. */
  const memoryMb = () => {
    const status = readFileSync(`/proc/${chat.pid}/status`, 'utf8');
    return Number(status.match(/VmRSS:\s+(\d+)/)?.[1]) / 1024;
  };

  it('holds the upstream back, and hanging up lets it go on to its end', {
    tags: 'exhaustive',
  }, async () => {
    const total = 64;
    let sentMb = 0;
    async function* pieces() {
      for (; sentMb < total; sentMb += 1 / 8) yield chunk(text);
      yield* [chunk({}, 'stop'), usageChunk(30, tokens), done];
    }
    const model = chat.newModel('wordy', { kind: 'pieces', pieces: pieces() });
    const hangUp = new AbortController();
    const warming = chat.newModel('plain', { kind: 'pieces', pieces: streamOf(['a'], [30, 40]) });
    await (await complete(await chat.newAccount(), { model: warming.id, stream: true })).text();
    const before = memoryMb();

    const response = await complete(account, { model: model.id, stream: true }, hangUp.signal);
    const stalledAt = await untilStill(() => sentMb);
    const grownMb = memoryMb() - before;
    // A response that nobody holds any more would be collected, and so hung up on before.
    expect(response.bodyUsed).toBe(false);
    hangUp.abort();

    expect(stalledAt).toBeGreaterThan(0);
    expect(stalledAt).toBeLessThan(total / 3);
    expect(grownMb).toBeLessThan(total);
    await expectPaid(model, 30, tokens);
    expect(sentMb).toBe(total);
  });

  it('and stays connected pays for all once the upstream has ended: of a completion, and of a chat', {
    tags: 'exhaustive',
  }, async () => {
    const asked = [
      ['/v1/chat/completions', { messages: question, stream: true }],
      ['/chat/stream', { message: 'a question' }],
    ] as const;
    // Each is held back for ten seconds.
    await Promise.all(
      asked.map(async ([path, body]) => {
        async function* pieces() {
          for (let sent = 0; sent < 256; sent++) yield chunk(text);
          yield* [chunk({}, 'stop'), usageChunk(30, tokens), done];
        }
        const model = chat.newModel('wordy', { kind: 'pieces', pieces: pieces() });
        const payer = await chat.newAccount();
        const socket = await stalledSocket(payer, path, { model: model.id, ...body });

        await expectPaid(model, 30, tokens, payer);

        expect(socket.readyState).toBe('open');
        expect(socket.bytesRead).toBeLessThan(32 * megabyte);
        socket.destroy();
      }),
    );
  });

  /** Asks by a socket of its own, which takes the first bytes of the answer and then no more. */
  async function stalledSocket(
    { base_url, api_key }: Account,
    path: string,
    body: object,
  ): Promise<Socket> {
    const { hostname, port } = new URL(base_url);
    const socket = connect(Number(port), hostname);
    const json = JSON.stringify(body);
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${api_key}\r\n` +
        `content-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
    );
    await once(socket, 'data');
    return socket.pause();
  }

  it('gets all of it once it reads on', { tags: 'exhaustive' }, async () => {
    // Sockets on the way take some of it: 9 to 12 MB as a rule, and 20 were seen.
    const texts = Array.from({ length: 8 * 40 }, () => text);
    let sent = 0;
    async function* pieces() {
      for (const piece of streamOf(texts, [30, tokens])) {
        yield piece;
        sent += 1;
      }
    }
    const model = chat.newModel('wordy', { kind: 'pieces', pieces: pieces() });
    const reader = new TextReader(await complete(account, { model: model.id, stream: true }));
    const stalledAt = await untilStill(() => sent);

    const whole = await reader.rest();

    expect(stalledAt).toBeLessThan(texts.length);
    expect(whole === streamOf(texts).join('')).toBe(true);
    await expectPaid(model, 30, tokens);
  });
});

/** A value once it has stood still for a while. */
async function untilStill(read: () => number): Promise<number> {
  for (let last = -1; ; ) {
    const now = read();
    if (now === last && now > 0) return now;
    last = now;
    await setTimeout(300);
  }
}
