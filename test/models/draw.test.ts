import { expect, it } from 'vitest';
import { inOrder } from '../../shared/models/draw.ts';

const upstream = (name: string, weight?: number) => ({
  ...{ upstream: name, model: 'm' },
  ...(weight !== undefined && { weight }),
});

const asking = (content: string) => ({ model: 'm', messages: [{ role: 'user', content }] });
const firstOf = (upstreams: ReturnType<typeof upstream>[], key: string, body: object) =>
  inOrder(upstreams, key, body as Record<string, unknown>)[0]?.upstream;

it('draws by weight: 10,000 conversations within 2 % of the parts', () => {
  const upstreams = [upstream('a', 5), upstream('b', 3), upstream('c', 2)];
  const counts: Record<string, number> = {};

  for (let n = 0; n < 10_000; n++) {
    const drawn = firstOf(upstreams, `key_${n % 7}`, asking(`Question ${n}?`)) ?? '';
    counts[drawn] = (counts[drawn] ?? 0) + 1;
  }

  for (const [name, part] of [
    ['a', 0.5],
    ['b', 0.3],
    ['c', 0.2],
  ] as const) {
    expect(Math.abs((counts[name] ?? 0) / 10_000 - part)).toBeLessThan(0.02);
  }
});

it('asks 1,000 conversations where they were, however long they grow', () => {
  const upstreams = [upstream('a', 1), upstream('b', 1), upstream('c', 1)];

  for (let n = 0; n < 1_000; n++) {
    const messages: object[] = [
      { role: 'system', content: 'You are a clerk.' },
      { role: 'user', content: `Conversation ${n}.` },
    ];
    const drawn = firstOf(upstreams, 'key', { messages });
    for (let turn = 0; turn < 5; turn++) {
      messages.push({ role: 'assistant', content: `${turn}` }, { role: 'user', content: 'More.' });
      expect(firstOf(upstreams, 'key', { messages })).toBe(drawn);
    }
    messages[0] = { role: 'system', content: 'You are a clerk. It is Monday.' };
    expect(firstOf(upstreams, 'key', { messages })).toBe(drawn);
  }
});

it('moves no other conversation when an upstream goes', () => {
  const upstreams = [upstream('a', 1), upstream('b', 2), upstream('c', 3)];
  const others = upstreams.slice(0, 2);

  for (let n = 0; n < 300; n++) {
    const body = asking(`${n}`);
    const drawn = inOrder(upstreams, 'key', body).map((each) => each.upstream);
    expect(inOrder(others, 'key', body).map((each) => each.upstream)).toEqual(
      drawn.filter((name) => name !== 'c'),
    );
  }
});

it('keeps the listed order where nothing has a weight, and asks what has none after what has', () => {
  const listed = [upstream('a'), upstream('b')];
  expect(inOrder(listed, 'key', asking('x'))).toBe(listed);

  for (let n = 0; n < 50; n++) {
    const drawn = inOrder(
      [upstream('spare'), upstream('a', 1), upstream('b', 1)],
      'key',
      asking(`${n}`),
    );
    expect(drawn.at(-1)?.upstream).toBe('spare');
  }
});

it.each([
  ['Responses of a text', { input: 'Hello.' }],
  [
    'Responses of items',
    {
      input: [
        { role: 'developer', content: 'x' },
        { role: 'user', content: 'Hello.' },
      ],
    },
  ],
  [
    'Messages',
    { system: 'x', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }] },
  ],
  ['inputs of embeddings', { input: ['Hello.', 'World.'] }],
  ['no message at all', { messages: [] }],
])('draws for %s, for each key by itself', (_, body) => {
  const upstreams = [upstream('a', 1), upstream('b', 1)];
  const drawn = Array.from({ length: 40 }, (__, n) => firstOf(upstreams, `key_${n}`, body));

  expect(new Set(drawn)).toEqual(new Set(['a', 'b']));
  expect(firstOf(upstreams, 'key_0', structuredClone(body))).toBe(drawn[0]);
});
