import { expect, it } from 'vitest';
import { type AskMessage, inTurns } from '../../../shared/models/dialects/ask.ts';

const text = (words: string) => [{ is: 'text' as const, text: words }];
const calls = (...ids: string[]): AskMessage => ({
  role: 'assistant',
  parts: ids.map((id) => ({ is: 'toolCall', id, name: 'look', input: '{}' })),
});
const output = (callId: string, words = callId): AskMessage => ({
  ...{ role: 'tool', callId, parts: text(words) },
});
const developer: AskMessage = { role: 'developer', parts: text('Mind the gap.') };
const picture: AskMessage = { role: 'user', parts: [{ is: 'image', url: 'data:,' }] };

it('outputs of a turn stand together after its calls, and the rest after them', () => {
  const [turn, first, second] = [calls('c1', 'c2'), output('c1'), output('c2')];

  expect(inTurns([turn, first, developer, picture, second])).toEqual([
    ...[turn, first, second, developer, picture],
  ]);
});

it('an output belongs to the last call before it that has its id', () => {
  const [first, second] = [output('c1', 'first'), output('c1', 'second')];
  const messages = [calls('c1'), first, developer, calls('c1'), picture, second];

  expect(inTurns(messages)).toEqual([
    ...[calls('c1'), first, developer, calls('c1'), second, picture],
  ]);
});

it.each<[string, AskMessage[]]>([
  ['has none', [developer, output('c9')]],
  ['has another', [calls('c1'), output('c1'), output('c9')]],
  ['comes after it', [output('c9'), calls('c9')]],
])('an output is refused by its id whose call %s', (_, messages) => {
  const msg = expect.stringContaining('the output of the call c9 has no call before it');

  expect(() => inTurns(messages)).toThrow(
    expect.objectContaining({ fields: [expect.objectContaining({ loc: ['body'], msg })] }),
  );
});
