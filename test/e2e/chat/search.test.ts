import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent, Source } from '../../../shared/chat/chat-event.ts';
import { shared } from '../../support/run/shared.ts';
import { call, type Target } from '../../support/servers/api.ts';
import { eventsOf, post } from '../../support/servers/event-reader.ts';
import { newCaller } from '../../support/servers/new-caller.ts';
import { statsAfter, usedUsd } from '../../support/servers/stats.ts';

const stage = await shared('stage');
const letters = join(stage.dataDir, 'drive', 'letters-for-search');

interface Answer {
  stages: string[];
  text: string;
  sources: Source[];
  usage: Extract<ChatEvent, { type: 'usage' }> | undefined;
  last: ChatEvent | '[DONE]' | undefined;
}

/** Asks the stage, and sums up the events of its answer. */
async function ask(caller: Target, body: object): Promise<Answer> {
  const response = await post(caller, '/chat/stream', body);
  expect(response.status).toBe(200);
  const events = eventsOf<ChatEvent>(await response.text());
  const ofType = <Type extends ChatEvent['type']>(type: Type) =>
    events.filter(
      (event): event is Extract<ChatEvent, { type: Type }> =>
        event !== '[DONE]' && event.type === type,
    );
  return {
    stages: [...new Set(ofType('status').map(({ stage: name }) => name))],
    text: ofType('delta')
      .map(({ content }) => content)
      .join(''),
    sources: ofType('sources')[0]?.sources ?? [],
    usage: ofType('usage')[0],
    last: events.at(-2),
  };
}

const done = { type: 'done', finish_reason: 'stop' };

describe('a web search', () => {
  let caller: Target;
  let answer: Answer;
  beforeAll(async () => {
    caller = await newCaller(stage, { budget_usd: 1 });
    answer = await ask(caller, {
      message: 'Which Heron lamps are recalled, and what should I do with mine?',
      web_search: true,
    });
  });

  it('answers from the sample pages and cites them', () => {
    expect(answer.stages).toEqual(['searching', 'reading', 'answering']);
    expect(answer.sources.map(({ n }) => n)).toEqual(answer.sources.map((_, index) => index + 1));
    const recall = answer.sources.find(({ url }) => url.endsWith('/recalls/heron-lamp.html'));
    expect(recall).toMatchObject({ title: expect.stringContaining('Heron') });
    expect(answer.text).toContain(`[${recall?.n}]`);
    expect(answer.last).toEqual(done);
  });

  it('costs the key exactly what the answer says', async () => {
    expect(answer.usage?.web_search).toEqual({ searches: expect.any(Number), cost_usd: 0 });
    expect(answer.usage?.web_search?.searches).toBeGreaterThan(0);
    expect(await usedUsd(caller)).toBe(answer.usage?.cost_usd);
    expect(answer.usage?.cost_usd).toBeGreaterThan(0);
  });

  it('is a line of its own in the statistics', async () => {
    const searches = answer.usage?.web_search?.searches ?? 0;
    const { models } = await statsAfter(caller, 1 + searches);

    expect(models).toContainEqual(
      expect.objectContaining({ name: 'web-search', requests: searches }),
    );
  });

  it('leads to pages that can be opened', async () => {
    const pages = await Promise.all(answer.sources.map(({ url }) => fetch(url)));

    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
  });
});

describe('a research with connectors', () => {
  let caller: Target;
  let answer: Answer;
  beforeAll(async () => {
    mkdirSync(letters, { recursive: true });
    writeFileSync(
      join(letters, 'quoted-price.txt'),
      'Letter of 3 March.\n\nMr Tanaka will be paid sixty-one pounds for regilding the weathercock.\n',
    );
    caller = await newCaller(stage, { budget_usd: 1, drive_folders: ['local-drive'] });
    answer = await ask(caller, {
      message:
        'How does line 7 run while the Weir Bridge is closed, and what does Mr Tanaka get for regilding?',
      deep_research: true,
      connectors: true,
    });
  });

  it('writes a report from both the web and the Drive, whose quotes were checked', () => {
    expect(answer.stages).toEqual(
      expect.arrayContaining(['planning', 'searching', 'reading', 'writing', 'checking']),
    );
    const letter = answer.sources.find(({ title }) => title === 'quoted-price.txt');
    expect(letter).toMatchObject({ site: 'Google Drive' });
    expect(answer.text).toContain(`weathercock [${letter?.n}].`);
    expect(answer.sources.some(({ url }) => url.includes('/pages/'))).toBe(true);
    expect(answer.last).toEqual(done);
  });

  it('costs the key exactly what the answer says, and leaves nothing held', async () => {
    const { body } = await call<{ budget: { used_usd: number; remaining_usd: number } }>(
      caller,
      'GET',
      '/user/limits',
    );

    expect(body.budget.used_usd).toBe(answer.usage?.cost_usd);
    expect(body.budget.remaining_usd).toBeCloseTo(1 - body.budget.used_usd, 9);
  });
});

it('a document of Drive that is too large for an invocation is read and cited', {
  tags: 'exhaustive',
}, async () => {
  const page =
    '<h1>Ledger</h1><p>The lighthouse keeper, Ms Ferreira, is paid ninety-two pounds.</p>';
  mkdirSync(letters, { recursive: true });
  writeFileSync(join(letters, 'large-ledger.html'), `${page}${' '.repeat(7 * 1024 * 1024)}`);
  const caller = await newCaller(stage, { budget_usd: 1, drive_folders: ['local-drive'] });

  const answer = await ask(caller, {
    message: 'What is the lighthouse keeper Ferreira paid?',
    connectors: true,
  });

  const ledger = answer.sources.find(({ title }) => title === 'large-ledger.html');
  expect(ledger).toMatchObject({ snippet: expect.stringContaining('ninety-two pounds') });
  expect(answer.text).toContain(`[${ledger?.n}]`);
  expect(answer.last).toEqual(done);
});

it('a key without Drive folders is told that connectors have nothing to search', async () => {
  const caller = await newCaller(stage);

  const { status, body } = await call<{ detail: unknown }>(caller, 'POST', '/chat/stream', {
    message: 'What is in my folders?',
    connectors: true,
  });

  expect(status).toBe(422);
  expect(body.detail).toMatchObject([{ loc: ['body', 'connectors'] }]);
});
