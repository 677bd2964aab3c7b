import { beforeAll, expect, it } from 'vitest';
import type { Account } from '../../shared/ledger/account/account.ts';
import { expectAllPaid, type SearchWorld, useSearchWorld } from '../support/worlds/search-world.ts';
import { followStream, imageOf } from '../support/worlds/stream-tail.ts';

let world: SearchWorld;
let newRecords: ReturnType<typeof followStream>;

beforeAll(async () => {
  world = await useSearchWorld();
  newRecords = followStream('LEDGER_TABLE');
});

const question = { message: 'How do trams run?' };
const one = { requests_per_minute: 1, max_concurrent: 1 };

it.each([
  ['a search by its own words', { ...question, web_search: true }],
  ['a search of Drive', { ...question, connectors: true }],
  ['a research', { ...question, deep_research: true }],
])(
  '%s with a document is one request, under way from before that is read until its end',
  async (_, request) => {
    const passages = ['Trams run all day.'];
    world.set(
      {
        plan: { brief: 'Trams.', questions: [{ question: 'When?', queries: ['tram'] }] },
        notes: () => [{ claim: passages[0], quote: passages[0] }],
        writes: ['All day [1].'],
      },
      {
        finds: () => [{ url: 'https://tram.example/', title: 'The tram', passages }],
        documents: [{ id: 'a', title: 'a', url: 'https://drive.example/a', text: passages.join() }],
      },
    );
    await newRecords();

    const files = [{ name: 'a.pdf', content: 'JVBERi0xLjc=' }];
    const answered = await world.ask({ ...request, files }, { limits: one });

    expect(answered.events.at(-1)).toMatchObject({ type: 'done' });
    expectAllPaid(answered);
    const states = (await newRecords()).flatMap(({ dynamodb }) => {
      const account = imageOf<Account>(dynamodb?.NewImage);
      return account?.entry === 'account' ? (account.running ?? 0) : [];
    });
    const [opened, ...calls] = states;
    expect([opened, calls.pop()]).toEqual([0, 0]);
    expect(calls.length).toBeGreaterThan(3);
    expect(new Set(calls)).toEqual(new Set([1]));
    const requests = Object.entries(answered.account).filter(([name]) =>
      /^requests_\d+$/.test(name),
    );
    expect(requests.map(([, count]) => count)).toEqual([1]);
  },
);
