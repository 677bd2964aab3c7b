import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { call } from '../../support/servers/api.ts';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../../support/servers/chat-stage.ts';
import { complete } from '../../support/servers/event-reader.ts';
import { chunk, gate, streamOf } from '../../support/servers/model-stub-pieces.ts';

const chat = await useChatStage({ own: true });
const mb = 2 ** 20;

/** A stream of a neighbour's that has begun, and goes on once it is told to. */
async function neighbourStream() {
  const goOn = gate();
  const model = chat.newModel('plain', {
    kind: 'pieces',
    pieces: (async function* () {
      yield chunk('begun ');
      await goOn.opened;
      yield* streamOf(['and ended']);
    })(),
  });
  const account = await chat.newAccount();
  const response = await complete(account, { model: model.id, stream: true });
  return {
    async rest(): Promise<string> {
      goOn.open();
      return response.text();
    },
  };
}

/** Asks for a small answer every 50 ms until `work` is done, each after the one before. Returns their statuses. */
async function beside(work: Promise<unknown>): Promise<Set<number>> {
  const account = await chat.newAccount();
  const { id } = chat.newModel('plain');
  const statuses = new Set<number>();
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    statuses.add((await complete(account, { model: id })).status);
    await setTimeout(50);
  }
  return statuses;
}

/** What the stage's process has in memory, in MB. */
const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${chat.pid}/status`, 'utf8'))?.[1]) / 1024;

const together = (count: number, work: () => Promise<Response>) =>
  Promise.all(Array.from({ length: count }, work));

/** Each is answered, or told when to try again. */
function expectAnsweredOrLater(responses: Response[]): void {
  for (const { status, headers } of responses) {
    expect(status === 200 || (status === 503 && Number(headers.get('retry-after')) > 0)).toBe(true);
  }
}

describe('beside an answer of 400 MB', () => {
  it('a neighbour’s stream goes on, and the call alone ends with a 502 that is paid', async () => {
    const neighbour = await neighbourStream();
    const account = await chat.newAccount({ budget_usd: 5 });
    const large = chat.newModel('plain', () => ({
      kind: 'pieces',
      pieces: (function* () {
        yield '{"choices":[{"message":{"content":"';
        for (let sent = 0; sent < 400; sent++) yield 'x'.repeat(mb);
        yield '"},"finish_reason":"stop"}]}';
      })(),
    }));

    const answer = await complete(account, { model: large.id, max_tokens: 100 });

    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ error: { code: 'answer_too_large' } });
    const [charge, ...others] = await endedCharges(account);
    expect(others).toEqual([]);
    expect(charge?.cost).toBeGreaterThan(0);
    expect(charge?.cost).toBeLessThanOrEqual(charge?.hold ?? 0);
    expect((await budgetOf(account)).used_usd).toBeGreaterThan(0);
    expect(await neighbour.rest()).toMatch(/and ended.*\[DONE\]\n\n$/s);
  });
});

describe('beside 40 large calls at once', () => {
  const picture = {
    type: 'image_url',
    image_url: { url: `data:image/jpeg;base64,${'A'.repeat(5.7 * mb)}` },
  };

  /** Makes them, and returns their responses once a neighbour was answered all the time, and its stream went on. */
  async function expectHarmless(account: Account, content: object[]): Promise<void> {
    const neighbour = await neighbourStream();
    // The stub counts no words of what is one of millions of letters.
    const usage = { prompt_tokens: 10, completion_tokens: 1 };
    const answer = { kind: 'answer' as const, content: 'seen', delayMs: 300, usage };
    const model = chat.newModel('plain', () => answer);
    const messages = [{ role: 'user', content }];
    const before = residentMb();
    const calls = together(40, () =>
      complete(account, { model: model.id, messages, max_tokens: 10 }),
    );

    expect(await beside(calls)).toEqual(new Set([200]));
    expectAnsweredOrLater(await calls);
    // All has been given back, so that there is room for one.
    const later = async () =>
      (await complete(account, { model: model.id, messages, max_tokens: 10 })).text();
    await expect.poll(later, { timeout: 60_000 }).toContain('"content":"seen"');
    expect(await neighbour.rest()).toMatch(/and ended.*\[DONE\]\n\n$/s);
    expect(residentMb()).toBeLessThan(before + 1_500);
  }

  it('with bodies of 5.7 MB, a neighbour is answered, and memory has a bound', async () => {
    await expectHarmless(await chat.newAccount(), [picture]);
  });

  it('that name one file of 20 MB, a neighbour is answered, and memory has a bound', async () => {
    const account = await chat.newAccount();
    const file_id = await upload(account, 20 * mb);

    await expectHarmless(account, [{ type: 'file', file: { file_id } }]);
  });
});

/** Uploads a file in parts. Returns its id. */
async function upload(account: Account, bytes: number): Promise<string> {
  const asked = { filename: 'large.txt', purpose: 'user_data', bytes, mime_type: 'text/plain' };
  const { body } = await call<{ id: string }>(account, 'POST', '/v1/uploads', asked);
  const part_ids: string[] = [];
  for (let sent = 0; sent < bytes; sent += 4 * mb) {
    const form = new FormData();
    form.append('data', new Blob(['x'.repeat(4 * mb)]));
    const response = await fetch(`${account.base_url}/v1/uploads/${body.id}/parts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.api_key}` },
      body: form,
    });
    part_ids.push(((await response.json()) as { id: string }).id);
  }
  const path = `/v1/uploads/${body.id}/complete`;
  return (await call<{ file: { id: string } }>(account, 'POST', path, { part_ids })).body.file.id;
}
