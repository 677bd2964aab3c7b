import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { findAccount } from '../../shared/ledger/account/account.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { holdSearch, search } from '../../shared/search/search.ts';
import { endedCharges } from '../support/servers/chat-stage.ts';
import { hurrySignals } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body?: unknown) => void;

interface Asked {
  method: string | undefined;
  url: URL;
  headers: IncomingMessage['headers'];
  body?: unknown;
}

let answers: Answer[];
let asked: Asked[];
const server = createServer(async (request, response) => {
  const { method, url = '', headers } = request;
  const body = method === 'POST' ? await json(request) : undefined;
  asked.push({ method, url: new URL(url, 'http://provider'), headers, body });
  answers.shift()?.(request, response);
});

const sends =
  (status: number, body: unknown, headers = {}): Answer =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
/** Sends more than a provider may. */
const endless: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const part = Buffer.alloc(256 * 1024, ' ');
  const more = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', more);
  more();
};
const cuts: Answer = (_, response) => response.destroy();
const isSilent: Answer = () => {};

beforeAll(async () => {
  await useStore({ modelUrl: 'http://127.0.0.1:1' });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  delete process.env['SEARCH_SECRET'];
});

let keys = 0;

/** Searches as a key of its own at a provider that gives these answers, one a request. */
async function searchAt(provider: string, given: Answer[], query = 'tram times') {
  answers = given;
  asked = [];
  const { port } = server.address() as AddressInfo;
  Object.assign(process.env, {
    SEARCH_PROVIDER: provider,
    SEARCH_URL: `http://127.0.0.1:${port}`,
    ...(provider !== 'searxng' && {
      SEARCH_SECRET: JSON.parse(process.env['PROVIDER_SECRETS'] ?? '{}').openai,
    }),
  });
  keys += 1;
  const keyId = `key_search_${keys}`;
  await openAccount(keyId, new Date().toISOString(), { ...defaultLimits, budget_usd: 1 });
  const { signal } = new AbortController();
  const outcome = await search(await holdSearch(keyId, query), signal).then(
    (hits) => ({ hits, error: undefined }),
    (error: Error) => ({ hits: undefined, error }),
  );
  const account = await findAccount(keyId);
  return { ...outcome, charges: await endedCharges({ keyId }), account };
}

const searxngResults = {
  query: 'tram times',
  number_of_results: 2,
  results: [
    { title: 'Line 7', url: 'https://tram.example/7', content: 'Every ten minutes', engine: 'x' },
    { title: 'No snippet', url: 'https://tram.example/8', content: null },
    { title: 'No page', url: 'magnet:?xt=1', content: '' },
    { title: 'No address', url: 'https://tram.example:none/', content: '' },
    { title: 'No host', url: 'http://', content: '' },
  ],
};

const braveResults = {
  grounding: {
    generic: [
      { url: 'https://tram.example/7', title: 'Line 7', snippets: ['Every ten minutes.', 'Free.'] },
    ],
    map: [],
  },
  sources: {},
};
const tavilyResults = {
  query: 'tram times',
  results: [
    { title: 'Line 7', url: 'https://tram.example/7', content: 'Every ten minutes', score: 0.9 },
  ],
  response_time: 1.1,
};

describe('SearXNG', () => {
  it('is asked for JSON, and its results are hits without passages', async () => {
    const { hits } = await searchAt('searxng', [sends(200, searxngResults)], 'tram & times?');

    expect(asked).toMatchObject([{ method: 'GET', url: { pathname: '/search' } }]);
    expect(Object.fromEntries(asked[0]?.url.searchParams ?? [])).toEqual({
      q: 'tram & times?',
      format: 'json',
    });
    expect(hits).toEqual([
      {
        title: 'Line 7',
        url: 'https://tram.example/7',
        snippet: 'Every ten minutes',
        passages: [],
      },
      { title: 'No snippet', url: 'https://tram.example/8', snippet: '', passages: [] },
    ]);
  });

  it('that lies in a folder is asked there', async () => {
    await searchAt('searxng', [sends(200, searxngResults)]);
    process.env['SEARCH_URL'] += '/searx';
    answers = [sends(200, searxngResults)];
    const held = await holdSearch(`key_search_${keys}`, 'again');
    await search(held, AbortSignal.timeout(5_000));

    expect(asked[1]?.url.pathname).toBe('/searx/search');
  });

  it('without JSON among its formats answers 403, which is not tried again', async () => {
    const { error, charges } = await searchAt('searxng', [sends(403, 'Forbidden')]);

    expect(error).toMatchObject({ statusCode: 503, code: 'search_unavailable' });
    expect(asked).toHaveLength(1);
    expect(charges).toMatchObject([{ status: 'released' }]);
  });
});

describe('Brave', () => {
  it('is asked with its token, and its passages come with the hits', async () => {
    const { hits } = await searchAt('brave', [sends(200, braveResults)], 'q'.repeat(900));

    expect(asked).toMatchObject([{ method: 'GET', url: { pathname: '/res/v1/llm/context' } }]);
    expect(asked[0]?.headers['x-subscription-token']).toMatch(/./);
    expect(asked[0]?.url.searchParams.get('q')).toHaveLength(400);
    expect(hits).toEqual([
      {
        title: 'Line 7',
        url: 'https://tram.example/7',
        snippet: 'Every ten minutes.',
        passages: ['Every ten minutes.', 'Free.'],
      },
    ]);
  });
});

describe('Tavily', () => {
  it('is asked with its bearer token, and its results are hits', async () => {
    const { hits } = await searchAt('tavily', [sends(200, tavilyResults)]);

    expect(asked).toMatchObject([
      { method: 'POST', url: { pathname: '/search' }, body: { query: 'tram times' } },
    ]);
    expect(asked[0]?.headers.authorization).toMatch(/^Bearer ./);
    expect(hits).toMatchObject([{ url: 'https://tram.example/7', snippet: 'Every ten minutes' }]);
  });
});

describe.each([
  ['searxng', searxngResults, 0],
  ['brave', braveResults, 0.005],
  ['tavily', tavilyResults, 0.008],
])('a search by %s', (provider, results, usd) => {
  const nanoUsd = usd * 1e9;

  it('is held and settled at its price', async () => {
    const { charges, account } = await searchAt(provider, [sends(200, results)]);

    expect(charges).toMatchObject([
      { model: 'web-search', status: 'settled', hold: nanoUsd, cost: nanoUsd, figures: 'exact' },
    ]);
    expect(account).toMatchObject({ spent: nanoUsd, held: 0 });
  });

  it('that is answered with other JSON costs nothing', async () => {
    const { error, charges } = await searchAt(provider, [sends(200, { results: 1, a: [] })]);

    expect(error).toMatchObject({ statusCode: 503, code: 'search_unavailable' });
    expect(charges).toMatchObject([{ status: 'released' }]);
  });

  it('that finds nothing is paid for', async () => {
    const none = { results: [], grounding: {} };
    const { hits, charges } = await searchAt(provider, [sends(200, none)]);

    expect(hits).toEqual([]);
    expect(charges).toMatchObject([{ status: 'settled', cost: nanoUsd }]);
  });
});

describe('a search', () => {
  it('that meets silence is made once more', async () => {
    hurrySignals();

    const { charges } = await searchAt('tavily', [isSilent, sends(200, tavilyResults)]);

    expect(charges).toMatchObject([{ status: 'settled' }]);
  });

  it('that meets silence twice costs nothing', async () => {
    hurrySignals();

    const { error, charges } = await searchAt('tavily', [isSilent, isSilent]);

    expect(error).toMatchObject({ statusCode: 503, code: 'search_unavailable' });
    expect(charges).toMatchObject([{ status: 'released' }]);
  });

  it.each<[string, Answer[]]>([
    ['was throttled', [sends(429, {}, { 'retry-after': '1' })]],
    ['met a fault', [sends(503, 'down')]],
    ['lost its connection', [cuts]],
    ['was refused its key', [sends(401, {})]],
  ])('that %s is made once more', async (_, first) => {
    const { hits, charges } = await searchAt('tavily', [...first, sends(200, tavilyResults)]);

    expect(hits?.length).toBeGreaterThan(0);
    expect(charges).toMatchObject([{ status: 'settled' }]);
  });

  it.each<[string, Answer[]]>([
    ['fails twice', [sends(500, ''), sends(500, '')]],
    ['is answered with a redirect', [sends(302, '', { location: 'http://127.0.0.1:1/' }), cuts]],
    ['is answered with no JSON', [sends(200, '<html>')]],
    ['is answered without end', [endless]],
  ])('that %s costs nothing', async (_, given) => {
    const { error, charges, account } = await searchAt('tavily', given);

    expect(error).toMatchObject({ statusCode: 503, code: 'search_unavailable' });
    expect(charges).toMatchObject([{ status: 'released' }]);
    expect(account).toMatchObject({ spent: 0, held: 0 });
  });
});
