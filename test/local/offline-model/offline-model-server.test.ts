import fc from 'fast-check';
import OpenAI from 'openai';
import type {
  ChatCompletionCreateParamsNonStreaming as Chat,
  ChatCompletionMessageParam as Message,
} from 'openai/resources/chat/completions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOfflineModel } from '../../../lib/local/offline-model/offline-model-server.ts';
import { countTokens, firstTokens } from '../../../lib/local/offline-model/tokens.ts';

const BANNER = '[offline model: an extract of what it was given, no language model was asked]';

const CATS = `Cats sleep for most of the day. They are awake at dusk, when prey is about.
A cat's whiskers are as wide as its body. Dr Whitfield measured 1,200 cats in Leeds in 1987.
Most cats sleep in short naps, and a sleeping cat keeps its ears awake. Kittens sleep longest.
Old cats sleep nearly as long as kittens do. Wild cats sleep less, since they must hunt.
The museum in Leeds sells postcards. It opens at ten on weekdays and closes at four.`;

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.lorem({ maxCount: 40, mode: 'sentences' }),
  fc.string({
    unit: fc.constantFrom('\ud83d', '\ude00', 'é', '\ufeff', '漢', '\n', ' ', 'a', '?'),
  }),
);
const chat = fc
  .array(fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content: text }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((messages) => messages as Message[]);

let model: Awaited<ReturnType<typeof startOfflineModel>>;
let client: OpenAI;

beforeAll(async () => {
  model = await startOfflineModel();
  client = new OpenAI({ baseURL: model.url, apiKey: model.key, maxRetries: 0 });
});

afterAll(() => model.close());

function user(content: Message['content']): Message[] {
  return [{ role: 'user', content } as Message];
}

async function complete(messages: Message[], more: Partial<Chat> = {}) {
  return client.chat.completions.create({ model: 'any', messages, ...more });
}

async function answer(messages: Message[], more: Partial<Chat> = {}): Promise<string> {
  const { choices } = await complete(messages, more);
  return choices[0]?.message.content ?? '';
}

async function stream(messages: Message[], more: Partial<Chat> = {}) {
  const events = await client.chat.completions.create({
    model: 'any',
    messages,
    ...more,
    stream: true,
  });
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of events) chunks.push(chunk);
  return chunks;
}

function post(body: string | object): Promise<Response> {
  return fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${model.key}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

describe('a completion', () => {
  it('has the shape of OpenAI and echoes the model asked for', async () => {
    const completion = await complete(user('Hello'), { model: 'gpt-4o' });

    expect(completion).toEqual({
      id: expect.stringMatching(/^chatcmpl-\w+$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'gpt-4o',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: expect.any(String), refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: expect.any(Object),
      system_fingerprint: 'quire-offline',
    });
  });

  it('is the same for the same chat', async () => {
    await fc.assert(
      fc.asyncProperty(chat, async (messages) => {
        const first = await complete(messages);
        const second = await complete(messages);

        expect(second.choices).toEqual(first.choices);
        expect(second.usage).toEqual(first.usage);
      }),
    );
  });

  it('counts the tokens of its content, once a choice', async () => {
    await fc.assert(
      fc.asyncProperty(chat, fc.integer({ min: 1, max: 3 }), async (messages, n) => {
        const { choices, usage } = await complete(messages, { n });

        const tokens = choices.map(({ message }) => countTokens(message.content ?? ''));
        expect(choices.map(({ index }) => index)).toEqual([0, 1, 2].slice(0, n));
        expect(usage?.completion_tokens).toBe(tokens.reduce((sum, count) => sum + count));
        expect(usage?.total_tokens).toBe(
          (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0),
        );
      }),
    );
  });

  it('counts a prompt by its words and signs, with what each message takes', async () => {
    const { usage } = await complete([
      { role: 'system', content: 'Be brief.', name: 'ada' },
      ...user('Hello, world!'),
    ]);

    expect(usage?.prompt_tokens).toBe(3 + (3 + 1 + 3 + 2) + (3 + 1 + 4));
  });

  it('stops before a stop sequence', async () => {
    const { choices } = await complete(user('Red, green, blue'), { stop: ['blue', 'green'] });

    expect(choices[0]?.finish_reason).toBe('stop');
    expect(choices[0]?.message.content).toMatch(/Red, $/);
  });

  it('lists one model', async () => {
    const models = await client.models.list();

    expect(models.data.map(({ id }) => id)).toEqual(['offline']);
  });
});

describe('a token limit', () => {
  it('is never passed, and keeps the beginning of the whole answer', async () => {
    await fc.assert(
      fc.asyncProperty(chat, fc.integer({ min: 1, max: 60 }), async (messages, limit) => {
        const whole = await complete(messages);

        const { choices, usage } = await complete(messages, { max_tokens: limit });

        const isWhole = (whole.usage?.completion_tokens ?? 0) <= limit;
        const [content = '', wholeContent] = [choices[0], whole.choices[0]].map(
          (choice) => choice?.message.content ?? '',
        );
        expect(usage?.completion_tokens).toBeLessThanOrEqual(limit);
        expect(wholeContent?.startsWith(content)).toBe(true);
        expect(choices[0]?.finish_reason).toBe(isWhole ? 'stop' : 'length');
      }),
    );
  });

  it('keeps exactly as many tokens as it names', async () => {
    const { usage } = await complete(user('Hello'), { max_completion_tokens: 7 });

    expect(usage?.completion_tokens).toBe(7);
  });

  it('cuts no character of any text', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 50 }), (whole, limit) => {
        const first = firstTokens(whole, limit);

        expect(first.tokens).toBeLessThanOrEqual(limit);
        expect(first.tokens).toBe(countTokens(first.text));
        expect(whole.startsWith(first.text)).toBe(true);
        if (whole.isWellFormed()) expect(first.text.isWellFormed()).toBe(true);
      }),
      { examples: [[' მაბ', 1]] },
    );
  });
});

describe('a stream', () => {
  it('says the same as the answer that is not streamed', async () => {
    await fc.assert(
      fc.asyncProperty(chat, async (messages) => {
        const chunks = await stream(messages);

        const deltas = chunks.map(({ choices }) => choices[0]?.delta.content ?? '');
        expect(deltas.join('')).toBe(await answer(messages));
      }),
    );
  });

  it('sends the role, then words, then why it finished, then the usage', async () => {
    const { usage } = await complete(user('Hello'), { max_tokens: 5 });

    const chunks = await stream(user('Hello'), {
      max_tokens: 5,
      stream_options: { include_usage: true },
    });

    const choices = chunks.map((chunk) => chunk.choices[0]);
    expect(choices.map((choice) => choice?.delta)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: '[offline' },
      { content: ' model' },
      { content: ': an' },
      {},
      undefined,
    ]);
    expect(choices.at(-2)?.finish_reason).toBe('length');
    expect(chunks.map((chunk) => chunk.usage)).toEqual([null, null, null, null, null, usage]);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it('sends no usage unasked, and ends with [DONE]', async () => {
    const response = await post({ model: 'any', messages: user('Hello'), stream: true });

    const events = (await response.text()).split('\n\n');
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(events.slice(-2)).toEqual(['data: [DONE]', '']);
    expect(events.join()).not.toContain('"usage"');
  });

  it('that its reader leaves does not hold the server up', async () => {
    const reader = new AbortController();
    const events = await client.chat.completions.create(
      { model: 'any', messages: user('Hello'), n: 128, stream: true },
      { signal: reader.signal },
    );
    for await (const _ of events) reader.abort();

    expect(await answer(user('Hello'))).toContain('Hello');
  });
});

describe('an answer', () => {
  it('begins by saying that it is the offline model', async () => {
    await fc.assert(
      fc.asyncProperty(chat, async (messages) => {
        expect((await answer(messages)).startsWith(`${BANNER}\n`)).toBe(true);
      }),
    );
  });

  it.each([
    ['after its question', `When does the museum open?\n\n${CATS}`],
    ['before its question', `${CATS}\n\nQuestion: when does the museum open?\nAnswer:`],
  ])('takes the sentences that fit from the text %s', async (_where, content) => {
    const said = await answer(user(content));

    expect(said).toContain('The museum in Leeds sells postcards.');
    expect(said).not.toContain('Kittens');
  });

  it('takes them from an earlier message, and not from its own earlier answer', async () => {
    const earlier: Message[] = [
      { role: 'system', content: 'You are brief.' },
      { role: 'user', content: CATS },
      { role: 'assistant', content: `${BANNER}\n\nWhiskers are a rumour.` },
    ];

    const said = await answer([...earlier, ...user('How wide are whiskers?')]);

    expect(said).toBe(`${BANNER}\n\nA cat's whiskers are as wide as its body.`);
  });

  it('finds words in a script without spaces', async () => {
    const said = await answer(
      user('大阪は西にあります。東京は日本の首都です。日本の首都はどこですか？'),
    );

    expect(said).toBe(`${BANNER}\n\n東京は日本の首都です。`);
  });

  it('to a long text is its first sentences', async () => {
    const said = await answer(user(`Summarise the following text:\n${CATS}`));

    const [, , ...lines] = said.split('\n');
    const places = lines.map((line) => CATS.indexOf(line));
    expect(lines).toHaveLength(5);
    expect(places).not.toContain(-1);
    expect(places[0]).toBe(0);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('to a question its text says nothing about says so before its beginning', async () => {
    const said = await answer(user(`${CATS}\nWho was Napoleon?`));

    expect(said).toContain('No sentence shares a word with the question.');
  });

  it('to a question about a short text says so before that', async () => {
    const said = await answer(user('Chain: 60.50\nRings: 36.00\n\nWho was Napoleon?'));

    expect(said).toContain('No sentence shares a word with the question.');
    expect(said).toContain('Chain: 60.50');
  });

  it('quotes the rows of a table as lines, which alone are no table', async () => {
    const table =
      '| Item | Amount |\n| --- | --- |\n| Storm lamp | 470.4 |\n| Reading lamp | 70.3 |';

    expect(await answer(user(`${table}\n\nWhat was agreed?`))).toMatch(/^Storm lamp \| 470\.4$/m);
    expect(await answer(user(`${table}\n\nWhat does a storm lamp cost?`))).toMatch(
      /^Storm lamp \| 470\.4$/m,
    );
  });

  it('to a chat with nothing to extract says so and repeats what was asked', async () => {
    const system: Message = { role: 'system', content: 'You are a helpful assistant.' };

    const said = await answer([system, ...user('Tell me a joke')]);

    expect(said).toBe(
      `${BANNER}\n\nIt was given nothing to extract an answer from. It was asked: “Tell me a joke”`,
    );
  });

  it('says how many images it was given, since it sees none', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } } as const;

    const said = await answer(user([{ type: 'text', text: 'Describe' }, image, image] as never));

    expect(said).toContain("Images given, which it can't see: 2.");
  });
});

describe('a response format', () => {
  it('of any JSON is an object with the answer', async () => {
    const said = await answer(user('Hello'), { response_format: { type: 'json_object' } });

    expect(JSON.parse(said)).toEqual({ answer: await answer(user('Hello')) });
  });

  it('of a schema has its required properties, by type', async () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { enum: ['invoice', 'receipt'] },
        summary: { type: 'string' },
        payee: { type: 'string' },
        pages: { type: 'integer', minimum: 1 },
        paid: { type: 'boolean' },
        due: { type: 'string', format: 'date' },
        lines: { type: 'array', items: { $ref: '#/$defs/Line' }, minItems: 1 },
        note: { type: ['null', 'string'] },
        optional: { type: 'string' },
      },
      required: ['kind', 'summary', 'payee', 'pages', 'paid', 'due', 'lines', 'note'],
      $defs: { Line: { type: 'object', properties: { total: { type: 'number' } } } },
    };

    const said = await answer(user('Hello'), {
      response_format: { type: 'json_schema', json_schema: { name: 'Invoice', schema } },
    });

    expect(JSON.parse(said)).toEqual({
      kind: 'invoice',
      summary: await answer(user('Hello')),
      payee: '[offline model: no value]',
      pages: 1,
      paid: false,
      due: '1970-01-01',
      lines: [{ total: 0 }],
      note: '[offline model: no value]',
    });
  });

  it('of a schema that refers to itself ends', async () => {
    const node = { type: 'array', items: { $ref: '#/$defs/Node' }, minItems: 100 };

    const said = await answer(user('Hello'), {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'Tree',
          schema: { type: 'object', properties: { root: node }, $defs: { Node: node } },
        },
      },
    });

    expect(JSON.parse(said)).toHaveProperty('root');
  });
});

describe('sources in a message', () => {
  const sources = `<sources>
<source n="1" title="Museum" url="https://museum.example">
The museum is closed on Mondays. A ticket costs four pounds.
</source>
<source n="2" title="Tram" url="https://tram.example">
- The tram runs every ten minutes.
</source>
</sources>`;
  const rules: Message = {
    role: 'system',
    content: 'Cite what the tickets of a source cost, as in [9].',
  };

  it('are cited by the sentences taken from them', async () => {
    const said = await answer([rules, ...user(`${sources}\n\nWhat does a ticket cost?`)]);

    expect(said).toContain('A ticket costs four pounds [1].');
    expect(said).not.toContain('[9]');
    expect(said).not.toContain('tram');
  });

  it('are quoted word for word in fields named so', async () => {
    const text = '<source>\nThe tram runs every ten minutes. Dogs ride free.\n</source>';
    const note = {
      type: 'object',
      properties: { claim: { type: 'string' }, quote: { type: 'string' } },
    };
    const schema = { type: 'object', properties: { notes: { type: 'array', items: note } } };

    const said = await answer(user(`How often does the tram run?\n\n${text}`), {
      response_format: { type: 'json_schema', json_schema: { name: 'notes', schema } },
    });

    const sentence = 'The tram runs every ten minutes.';
    expect(JSON.parse(said)).toEqual({ notes: [{ claim: sentence, quote: sentence }] });
  });

  it('that are pages of a document give the values that stand behind their fields’ names, and nothing else', async () => {
    const type = (of: string) => ({ type: [of, 'null'] });
    const proven = (of: string) => ({
      type: 'object',
      properties: { value: type(of), quote: type('string'), page: type('integer') },
    });
    const row = { type: 'object', properties: { page: type('integer'), quote: type('string') } };
    const schema = {
      type: 'object',
      properties: {
        invoiceNumber: proven('string'),
        total_due: proven('number'),
        iban: proven('string'),
        lines: { type: 'array', items: row },
      },
    };
    const pages = [
      '<page number="1">\nInvoice number: A-17\n</page>',
      '<page number="2">\n| Total due | 1,250.50 |\n</page>',
    ];

    const said = await answer(user(pages.join('\n\n')), {
      response_format: { type: 'json_schema', json_schema: { name: 'extraction', schema } },
    });

    expect(JSON.parse(said)).toEqual({
      invoiceNumber: { value: 'A-17', quote: 'Invoice number: A-17', page: 1 },
      total_due: { value: 1250.5, quote: 'Total due | 1,250.50', page: 2 },
      iban: { value: null, quote: null, page: null },
      lines: [],
    });
  });

  it('that are rows of a document give those under the names of their columns', async () => {
    const nullable = (type: string, description = '') => ({ type: [type, 'null'], description });
    const items = {
      type: 'object',
      properties: {
        page: nullable('integer'),
        quote: nullable('string'),
        item: nullable('string'),
        due: nullable('string', 'A date, YYYY-MM-DD'),
        amount: nullable('number'),
      },
    };
    const schema = { type: 'object', properties: { lines: { type: 'array', items } } };
    const pages = [
      '<page number="1">\n| To: Ines |  |  |\n| --- | --- | --- |\n| Item | Amount | Due |\n| A lamp | 1,250.50 | 2 June 2026 |\n|  | Total: | 1,250.50 |\n</page>',
      '<page number="2">\nItem\tAmount in pounds\nTwo wicks\t0.35\nChimney\tfree\n\nThank you.\n</page>',
    ];

    const said = await answer(user(pages.join('\n\n')), {
      response_format: { type: 'json_schema', json_schema: { name: 'extraction', schema } },
    });

    const row = (
      page: number,
      quote: string,
      item: string,
      due: string | null,
      amount: unknown,
    ) => ({ ...{ page, quote, item, due, amount } });
    expect(JSON.parse(said)).toEqual({
      lines: [
        row(1, '| A lamp | 1,250.50 | 2 June 2026 |', 'A lamp', '2026-06-02', 1250.5),
        row(2, 'Two wicks\t0.35', 'Two wicks', null, 0.35),
        row(2, 'Chimney\tfree', 'Chimney', null, null),
      ],
    });
  });

  it('of none leave a question its words to search for', async () => {
    const schema = {
      type: 'object',
      properties: {
        question: { type: 'string' },
        queries: { type: 'array', items: { type: 'string' } },
      },
    };

    const said = await answer(user('When does the museum open on Sundays?'), {
      response_format: { type: 'json_schema', json_schema: { name: 'plan', schema } },
    });

    expect(JSON.parse(said)).toEqual({
      question: 'When does the museum open on Sundays?',
      queries: ['museum open sunday', 'museum sunday'],
    });
  });
});

describe('a request it refuses', () => {
  it('that is not JSON is answered in the same shape', async () => {
    const response = await post('{"model":');

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  it('over the context window is told by its code, streamed or not', async () => {
    const messages = user('word '.repeat(128_000));

    const refusals = await Promise.allSettled([complete(messages), stream(messages)]);

    const reason = { status: 400, code: 'context_length_exceeded', param: 'messages' };
    expect(refusals).toMatchObject([{ reason }, { reason }]);
  });

  it('over 10 MB is a 413', async () => {
    const response = await post({ model: 'any', messages: user('x'.repeat(10_500_000)) });

    expect(response.status).toBe(413);
    expect(await response.json()).toHaveProperty('error.message');
  });

  it.each([[{}], [{ authorization: 'Bearer none' }]])(
    'without the key of this start is a 401: %o',
    async (headers) => {
      const response = await fetch(`${model.url}/models`, { headers });

      expect(response.status).toBe(401);
      expect(await response.json()).toHaveProperty('error.code', 'invalid_api_key');
    },
  );

  it('to an unknown route is a 404', async () => {
    const headers = { authorization: `Bearer ${model.key}` };
    const response = await fetch(`${model.url}/rerank`, { method: 'POST', headers });

    expect(response.status).toBe(404);
    expect(await response.json()).toHaveProperty('error.code', 'unknown_url');
  });
});

describe('five megabytes', () => {
  it.each([
    ['of prose are refused', `${CATS} `, 400, 'context'],
    ['of one letter are read in part', 'a', 200, 'only its beginning and end'],
    ['of spaces are read in part', `cat${' '.repeat(300)}`, 200, 'only its beginning and end'],
    ['of signs are refused', '=', 400, 'context'],
  ])('%s before a quadratic search would end', async (_what, unit, status, said) => {
    const content = unit.repeat(Math.ceil(5_000_000 / unit.length));

    const response = await post({ model: 'any', messages: user(content) });

    expect(await response.text()).toContain(said);
    expect(response.status).toBe(status);
  });
});
