import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutEchoes } from '../../shared/models/echoes.ts';

const request = {
  messages: [
    { role: 'user', content: 'My PIN is 4711 and my name is Ärmel. The temperature is high.' },
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBORw'.repeat(99)}` } },
      ],
    },
  ],
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
    ['Invalid pin: 4711.', 'Invalid pin: …'],
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

it('is compared with a long row of dots in a moment', () => {
  const dots = `${'.'.repeat(1_000_000)}x`;

  const told = withoutEchoes('Bad temperature.', { messages: [{ role: 'user', content: dots }] });

  expect(told).toBe('Bad temperature.');
});
