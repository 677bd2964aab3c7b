import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { cases, some } from '../../support/run/cases.ts';
import type { Behaviour } from '../../support/servers/model-stub.ts';
import {
  type Answered,
  eventsOfType,
  expectAllPaid,
  materialOf,
  type SearchWorld,
  sourcesOf,
  stagesOf,
  type TestModel,
  type TestWeb,
  textOf,
  useSearchWorld,
} from '../../support/worlds/search-world.ts';

let world: SearchWorld;

beforeAll(async () => {
  world = await useSearchWorld();
});

const request = { message: 'How do trams and buses compare?', deep_research: true };

const facts: Record<string, string> = {
  tram: 'The tram carries two hundred people.',
  bus: 'The bus carries eighty people at most.',
  bike: 'A bicycle carries one person, or two.',
};

/** A web in which each query finds the page of the same name. */
const web: TestWeb = {
  finds: (query) =>
    Object.entries(facts)
      .filter(([name]) => query.includes(name))
      .map(([name, fact]) => ({
        url: `https://${name}.example/`,
        title: `The ${name}`,
        passages: [`About it. ${fact} And more.`],
      })),
};

const plan = {
  brief: 'Compare trams and buses.',
  questions: [
    { question: 'What can a tram do?', queries: ['tram'] },
    { question: 'What can a bus do?', queries: ['bus'] },
  ],
};

/** Takes the fact of a page for a note. */
const factNotes = (material: string) =>
  Object.values(facts)
    .filter((fact) => material.includes(fact))
    .map((fact) => ({ claim: fact, quote: fact }));

const model: TestModel = {
  plan,
  notes: factNotes,
  writes: ['Trams carry ', 'more [1]. Buses', ' carry less [2].'],
};

const callsOf = ({ modelRequests }: Answered, name: string) =>
  modelRequests.filter(({ body }) => nameOf(body) === name);
const nameOf = (body: object) =>
  (body as { response_format?: { json_schema: { name: string } } }).response_format?.json_schema
    .name ?? 'report';
const materialFor = (answered: Answered, name: string) =>
  materialOf(callsOf(answered, name)[0]?.body ?? {});
const endOf = ({ events }: Answered) => events.at(-1);
const fault: Behaviour = { kind: 'status', status: 500 };

describe('a research', () => {
  it('tells its stages and what it has spent, then the report, then what that cites', async () => {
    world.set(model, web);

    const answered = await world.ask(request);

    expect(stagesOf(answered)).toEqual([
      ...['planning', 'searching', 'reading', 'finding gaps', 'writing', 'checking'],
    ]);
    const spent = eventsOfType(answered, 'status').map(({ cost_usd }) => cost_usd ?? -1);
    expect(spent).toEqual([...spent].sort((a, b) => a - b));
    expect(spent[0]).toBe(0);
    expect(textOf(answered)).toBe('Trams carry more [1]. Buses carry less [2].');
    expect(sourcesOf(answered).map(({ n, title }) => [n, title])).toEqual([
      [1, 'The tram'],
      [2, 'The bus'],
    ]);
    expect(endOf(answered)).toEqual({ type: 'done', finish_reason: 'stop' });
    expectAllPaid(answered);
  });

  it('plans and writes with the asked model, and takes notes and checks with the small one', async () => {
    world.set(model, web);

    const answered = await world.ask({ ...request, model: 'gpt-5' });

    const models = answered.modelRequests.map(({ body, model }) => [nameOf(body), model]);
    expect(Object.fromEntries(models)).toEqual({
      plan: 'gpt-5',
      notes: 'gpt-5-nano',
      gaps: 'gpt-5',
      report: 'gpt-5',
      check: 'gpt-5-nano',
    });
  });

  it('counts as one request of the key', async () => {
    world.set(model, web);

    const answered = await world.ask(request, { limits: { requests_per_minute: 1 } });

    expect(endOf(answered)).toMatchObject({ type: 'done' });
  });

  it('searches the Drive too, or alone', async () => {
    const documents = [
      {
        id: 'd',
        title: 'Bikes.docx',
        url: 'https://drive.google.com/d',
        text: facts['bike'] ?? '',
      },
    ];
    world.set({ ...model, writes: ['Bikes [3], trams [1].'] }, { ...web, documents });
    const both = await world.ask({ ...request, connectors: true });
    const provider = process.env['SEARCH_PROVIDER'];
    delete process.env['SEARCH_PROVIDER'];
    const alone = await world.ask({ ...request, connectors: true });
    process.env['SEARCH_PROVIDER'] = provider;

    expect(sourcesOf(both)).toHaveLength(2);
    expect(materialFor(both, 'report')).toContain('Bikes.docx');
    expect(alone.queries).toEqual([]);
    expect(materialFor(alone, 'report')).not.toContain('The tram');
    expectAllPaid(alone);
  });

  it('remembers the report in its session', async () => {
    world.set(model, web);

    const { events } = await world.ask(request);

    expect(eventsOfType({ events }, 'start')).toHaveLength(1);
    expect(eventsOfType({ events }, 'usage')).toHaveLength(1);
  });
});

describe('a note', () => {
  it('whose quote its source doesn’t say is dropped before the report is written', async () => {
    const invented = { claim: 'Trams fly at night.', quote: 'Trams fly at night, the mayor said.' };
    const notes = (material: string) => [...factNotes(material), invented];
    world.set({ ...model, notes }, web);

    const answered = await world.ask(request);

    expect(materialFor(answered, 'report')).toContain(facts['tram']);
    expect(materialFor(answered, 'report')).not.toContain('fly');
  });

  it('is all that the report is written from', async () => {
    world.set(model, web);

    const answered = await world.ask(request);

    expect(materialFor(answered, 'report')).not.toContain('About it.');
    expect(materialFor(answered, 'report')).toContain('1. What can a tram do?');
  });
});

describe('a sentence of the report', () => {
  it('that cites a missing source is removed', async () => {
    world.set({ ...model, writes: ['Trams carry more [1]. Boats sink [9]. So.'] }, web);

    const answered = await world.ask(request);

    expect(textOf(answered)).toBe('Trams carry more [1]. So.');
    expect(sourcesOf(answered).map(({ n }) => n)).toEqual([1]);
  });

  it('that its notes don’t support is removed', async () => {
    const writes = ['Trams carry more [1]. Buses carry nobody [2]. Bikes are bikes.'];
    const check = (material: string) =>
      material.split('\n\n').flatMap((part, index) => (part.includes('nobody') ? index + 1 : []));
    world.set({ ...model, writes, check }, web);

    const answered = await world.ask(request);

    expect(textOf(answered)).toBe('Trams carry more [1]. Bikes are bikes.');
    expect(sourcesOf(answered).map(({ title }) => title)).toEqual(['The tram']);
  });

  it('is checked against the notes of the sources that it cites', async () => {
    world.set({ ...model, writes: ['Buses carry less [2].'] }, web);

    const answered = await world.ask(request);

    expect(materialFor(answered, 'check')).toContain(facts['bus']);
    expect(materialFor(answered, 'check')).not.toContain(facts['tram']);
  });

  it('keeps its source’s number as the report first cites it', async () => {
    world.set({ ...model, writes: ['Buses [2]. Trams [1]. Buses [2].'] }, web);

    const answered = await world.ask(request);

    expect(textOf(answered)).toBe('Buses [1]. Trams [2]. Buses [1].');
    expect(sourcesOf(answered).map(({ title }) => title)).toEqual(['The bus', 'The tram']);
  });

  it('is checked with its part of a long report, and comes in order', async () => {
    const paragraphs = Array.from(
      { length: 12 },
      (_, n) => `Paragraph ${n} says so [1]. ${'It goes on and on. '.repeat(30)}`,
    );
    world.set({ ...model, writes: paragraphs.flatMap((text) => [text, '\n\n']) }, web);

    const answered = await world.ask(request);

    expect(callsOf(answered, 'check').length).toBeGreaterThan(2);
    expect(textOf(answered)).toBe(paragraphs.map((text) => `${text}\n\n`).join(''));
    expectAllPaid(answered);
  });

  it('is said not to be checked if the check fails', async () => {
    world.set({ ...model, fails: (name) => (name === 'check' ? fault : undefined) }, web);

    const answered = await world.ask(request);

    expect(textOf(answered)).toMatch(
      /^Trams carry more .*\*Part of this report could not be checked against the notes\.\*$/s,
    );
    expectAllPaid(answered);
  });
});

it('cuts no character in two in what it asks', async () => {
  const emoji = `a${'🚋'.repeat(2_000)}`;
  const questions = [{ question: emoji, queries: ['tram'] }];
  const notes = (material: string) =>
    factNotes(material).map(({ quote }) => ({ claim: emoji, quote }));
  world.set({ ...model, plan: { brief: emoji, questions }, notes }, web);

  const { modelRequests } = await world.ask(request);

  expect(modelRequests.length).toBeGreaterThan(3);
  expect(JSON.stringify(modelRequests)).not.toMatch(/\\ud[89a-f]/);
});

describe('a second round', () => {
  const gaps = (n: number) => ({ done: false, queries: [n === 1 ? 'bike' : 'tram again'] });

  it('searches for what is missing, and is the last', async () => {
    world.set({ ...model, gaps }, web);

    const answered = await world.ask(request);

    expect(answered.queries.sort()).toEqual(['bike', 'bus', 'tram']);
    expect(callsOf(answered, 'gaps')).toHaveLength(1);
    expect(materialFor(answered, 'report')).toContain(facts['bike']);
  });

  it('is left out if the first found nothing', async () => {
    world.set({ ...model, gaps, notes: () => [] }, web);

    const answered = await world.ask(request);

    expect(answered.queries.sort()).toEqual(['bus', 'tram']);
    expect(textOf(answered)).toBe('The search found nothing that answers this.');
    expect(sourcesOf(answered)).toEqual([]);
    expectAllPaid(answered);
  });

  it('never searches for the same again', async () => {
    world.set({ ...model, gaps: () => ({ done: false, queries: ['tram', 'bus'] }) }, web);

    expect((await world.ask(request)).queries.sort()).toEqual(['bus', 'tram']);
  });

  it('keeps within twelve sources and about twenty calls', async () => {
    const many: TestWeb = {
      finds: (query) =>
        Array.from({ length: 20 }, (_, n) => ({
          url: `https://${query}-${n}.example/`,
          passages: [facts['tram'] ?? ''],
        })),
    };
    const wide = {
      ...model,
      gaps: () => ({ done: false, queries: ['one', 'two', 'three', 'four'] }),
    };
    world.set(wide, many);

    const answered = await world.ask(request);

    expect(answered.queries).toHaveLength(5);
    expect(callsOf(answered, 'notes').length).toBeLessThanOrEqual(12);
    expect(answered.modelRequests.length).toBeLessThanOrEqual(20);
    expectAllPaid(answered);
  });
});

describe('money', () => {
  it('that a research may not spend keeps it from beginning, with 422', async () => {
    world.set(model, web);
    const limits = { research_usd: 0.01 };

    await expect(world.ask(request, { limits })).rejects.toMatchObject({
      statusCode: 422,
      fields: [{ loc: ['body', 'deep_research'] }],
    });
  });

  it('that the key doesn’t have for the report refuses it, with 429', async () => {
    world.set(model, web);

    await expect(world.ask(request, { limits: { budget_usd: 0.01 } })).rejects.toMatchObject({
      statusCode: 429,
    });
  });

  it('is never spent beyond the limit of a research, which says that it ended early', async () => {
    world.set({ ...model, gaps: () => ({ done: false, queries: ['bike'] }) }, web);

    const ends = new Set<string>();
    for (let cents = 5.1; cents < 9; cents += 0.3) {
      const answered = await world.ask(request, { limits: { research_usd: cents / 100 } });

      expectAllPaid(answered);
      expect(answered.account.spent / 1e9, `of ${cents} cents`).toBeLessThanOrEqual(cents / 100);
      const early = '*The search ended before it was done: its budget was spent.*';
      ends.add(textOf(answered).includes(early) ? 'early' : String(endOf(answered)?.type));
    }
    expect([...ends].sort()).toEqual(['done', 'early', 'error']);
  });

  it('that runs out in the key ends the search, and the report is written from its hold', async () => {
    world.set({ ...model, gaps: () => ({ done: false, queries: ['bike'] }) }, web);

    const ends = new Set<string>();
    for (let cents = 3.1; cents < 6; cents += 0.3) {
      const answered = await world.ask(request, { limits: { budget_usd: cents / 100 } });

      expectAllPaid(answered);
      const isEarly = textOf(answered).includes('its budget was spent');
      if (isEarly) expect(textOf(answered)).toContain('Trams carry more [1].');
      ends.add(isEarly ? 'early' : String(endOf(answered)?.type));
    }
    expect([...ends].sort()).toEqual(['done', 'early', 'error']);
  });
});

describe('a failure', () => {
  it.each<[string, TestModel, TestWeb]>([
    ['of the plan', { ...model, fails: (name) => (name === 'plan' ? fault : undefined) }, web],
    [
      'of one note',
      { ...model, fails: (name, n) => (name === 'notes' && n === 1 ? fault : undefined) },
      web,
    ],
    ['of finding gaps', { ...model, fails: (name) => (name === 'gaps' ? fault : undefined) }, web],
    [
      'of the search in the second round',
      { ...model, gaps: () => ({ done: false, queries: ['bike'] }) },
      { ...web, fails: (n) => (n > 2 ? 'cut' : undefined) },
    ],
  ])('%s ends in a report from what there is', async (_, nextModel, nextWeb) => {
    world.set(nextModel, nextWeb);

    const answered = await world.ask({ ...request, message: 'How do tram and bus compare?' });

    expect(textOf(answered)).toContain('Trams carry more [1].');
    expect(endOf(answered)).toMatchObject({ type: 'done' });
    expectAllPaid(answered);
  });

  it('of every search is an error', async () => {
    world.set(model, { ...web, fails: () => 'cut' });

    const answered = await world.ask(request);

    expect(endOf(answered)).toMatchObject({ type: 'error', code: 'search_unavailable' });
    expectAllPaid(answered);
  });

  it('of the model before the report leaves its notes', async () => {
    world.set({ ...model, fails: (name) => (name === 'answer' ? fault : undefined) }, web);

    const answered = await world.ask(request);

    expect(textOf(answered)).toContain('The report could not be written.');
    expect(textOf(answered)).toContain(`- ${facts['tram']} [1]`);
    expect(sourcesOf(answered)).toHaveLength(2);
    expect(endOf(answered)).toMatchObject({ type: 'done' });
    expectAllPaid(answered);
  });

  it('of the model within the report is an error after what was written and its sources', async () => {
    const cut: Behaviour = { kind: 'cut', at: 'midway' };
    world.set({ ...model, fails: (name) => (name === 'answer' ? cut : undefined) }, web);

    const answered = await world.ask(request);

    expect(textOf(answered)).not.toBe('');
    expect(endOf(answered)).toMatchObject({ type: 'error', code: 'model_unavailable' });
    expect(eventsOfType(answered, 'sources')).toHaveLength(1);
    expectAllPaid(answered);
  });
});

describe('a caller who leaves', () => {
  it('stops the research at its next call, and pays for what was made', async () => {
    const slow = { ...model, gaps: () => ({ done: false, queries: ['bike'] }) };
    world.set(slow, web);
    const whole = await world.ask(request);
    const moments = Array.from(whole.events.keys()).slice(1);

    for (const leaveAfter of some(5, moments)) {
      const answered = await world.ask(request, { leaveAfter });

      const settled = answered.charges.filter(({ status }) => status === 'settled');
      const cost = settled.reduce((total, charge) => total + (charge.cost ?? 0), 0);
      expect(answered.account, `after ${leaveAfter}`).toMatchObject({ held: 0, spent: cost });
      expect(answered.modelRequests.length, `after ${leaveAfter}`).toBeLessThanOrEqual(
        whole.modelRequests.length,
      );
      const wasWriting = stagesOf(answered).includes('writing');
      if (!wasWriting) expect(callsOf(answered, 'report'), `after ${leaveAfter}`).toEqual([]);
    }
  });
});

it('whatever fails when, a research ends, tells what it cost, and holds nothing', async () => {
  const behaviours: (Behaviour | undefined)[] = [
    undefined,
    undefined,
    undefined,
    fault,
    { kind: 'malformed' },
    { kind: 'cut' },
    { kind: 'cut', at: 'midway' },
    { kind: 'wrong-type' },
    { kind: 'answer', content: '{}' },
  ];
  const fates = fc.array(fc.nat(behaviours.length - 1), { minLength: 20, maxLength: 20 });
  const cuts = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fates, cuts, fc.constantFrom(10, 0.07, 0.056), async (fate, cut, budget) => {
      let calls = 0;
      const gaps = () => ({ done: false, queries: ['bike'] });
      world.set(
        { ...model, gaps, fails: () => behaviours[fate[calls++ % fate.length] ?? 0] },
        { ...web, fails: (n) => (cut[n - 1] ? 'cut' : undefined) },
      );

      const answered = await world.ask(request, { limits: { budget_usd: budget } });

      expect(['done', 'error']).toContain(endOf(answered)?.type);
      expectAllPaid(answered);
    }),
    { numRuns: cases(4, 25) },
  );
});
