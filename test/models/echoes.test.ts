import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutEchoes } from '../../shared/models/echoes.ts';

const request = {
  messages: [
    { role: 'system', content: 'Keep the secret plan; 我的密码.' },
    { role: 'user', content: 'My PIN is 4711 and my name is Ärmel. The temperature is high.' },
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBORw'.repeat(99)}` } },
      ],
    },
  ],
  response_format: { json_schema: { schema: { properties: { salary: { type: 'number' } } } } },
  tools: [
    { function: { name: 'get_weather', description: 'Tells the secret weather of Atlantis.' } },
  ],
};

describe('a provider’s message', () => {
  it.each([
    ["Unsupported value: 'temperature' does not support 0.15 with this model."],
    ["Invalid schema for function 'get_weather': 'additionalProperties' is required."],
    ['Rate limit reached for gpt-5 on tokens per min: Limit 200000, Used 199000.'],
  ])('%s stands as it is', (message) => {
    expect(withoutEchoes(message, request)).toBe(message);
  });

  it.each([
    ['Invalid input "My PIN is 4711 and my name"', 'Invalid input …'],
    ['Invalid pin: 4711.', 'Invalid …'],
    ['Flagged: "secret plan"', 'Flagged: …'],
    [
      "In context=('properties', 'salary'), it is required",
      "In context=('properties', … it is required",
    ],
    ['In tool: SECRETLY 密码', 'In tool: SECRETLY …'],
    ['Who is Är… in it?', 'Who is … in it?'],
    ['Who is "Ärmel"?', 'Who is …'],
    ['In tool: Tells the secret weather of Atlantis', 'In tool: …'],
    [`Not an image: '${'iVBORw'.repeat(10)}…'`, 'Not an image: …'],
    ['Refused: the\nTEMPERATURE my name  is Ärmel', 'Refused: the TEMPERATURE …'],
  ])('%j does not quote the request', (message, told) => {
    expect(withoutEchoes(message, request)).toBe(told);
  });

  it('never has three words of a prompt in a row', () => {
    const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'is', 'not');
    const sentence = fc.array(word, { minLength: 3, maxLength: 12 });

    fc.assert(
      fc.property(sentence, sentence, (asked, answered) => {
        const prompt = asked.join(' ');
        const messages = [{ role: 'user', content: prompt }];
        const told = withoutEchoes(answered.join(' '), { messages }).split(' ');

        const runs = told.slice(2).map((_, at) => told.slice(at, at + 3).join(' '));
        expect(runs.filter((run) => ` ${prompt} `.includes(` ${run} `))).toEqual([]);
      }),
    );
  });

  it('is cut', () => {
    expect(withoutEchoes('word '.repeat(1_000), request).length).toBeLessThanOrEqual(1_000);
  });
});

describe('a long request is compared in one pass:', () => {
  const message = `Bad value: ${'not secret plan4, it is x a '.repeat(40)}`;

  it.each([
    ['dots', `${'.'.repeat(1_000_000)}x`],
    ['one word', 'x'.repeat(5_500_000)],
    ['words of the message', 'it is '.repeat(900_000)],
    ['beginnings of runs', 'not secret '.repeat(500_000)],
    ['signs without spaces', '密'.repeat(5_500_000)],
  ])('%s', (_, content) => {
    const alone = timeOf(() => JSON.stringify({ content }).split(' ').length);

    const took = timeOf(() => withoutEchoes(message, { messages: [{ role: 'user', content }] }));

    // Beside what any look at each of its signs takes on this machine, and not in its square.
    expect(took).toBeLessThan(1_000 + 20 * alone);
  });

  it('also by a refusal whose every run of words is nearly in it', () => {
    const content = 'a '.repeat(2_750_000);
    const alone = timeOf(() => content.split(' ').length);

    const took = timeOf(() =>
      withoutEchoes('a a b '.repeat(200), { messages: [{ role: 'user', content }] }),
    );

    expect(took).toBeLessThan(500 + 5 * alone);
  });
});

function timeOf(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
