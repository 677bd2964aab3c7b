import { expect, it } from 'vitest';
import { progress } from '../../lib/cli/progress.ts';
import { pass, stopClock } from '../support/worlds/clock.ts';

/** What is written by work of 3 seconds that tells of each tenth of a second. */
function writtenTo(isTTY: boolean): string {
  stopClock();
  let written = '';
  const stream = {
    isTTY,
    write: (text: string | Uint8Array) => {
      written += text;
      return true;
    },
  };
  const { note, end } = progress('keys', 30, stream);
  for (let done = 1; done <= 30; done++) {
    pass(100);
    note(done);
  }
  end();
  return written;
}

it('tells once a second how far it is, a line each where nobody watches', () => {
  expect(writtenTo(false)).toBe('keys: 10 of 30\nkeys: 20 of 30\nkeys: 30 of 30\n');
});

it('tells it on one line of a terminal, and clears that at the end', () => {
  const shown = (bar: string, done: number) => `\r${bar} keys: ${done} of 30\u001b[K`;
  expect(writtenTo(true)).toBe(
    [
      shown('███████░░░░░░░░░░░░░', 10),
      shown('█████████████░░░░░░░', 20),
      shown('████████████████████', 30),
      '\r\u001b[K',
    ].join(''),
  );
});

it('tells nothing of what takes less than a second', () => {
  stopClock();
  let written = '';
  const { note, end } = progress('keys', 2, {
    isTTY: true,
    write: (text) => {
      written += text;
      return true;
    },
  });
  note(1);
  pass(900);
  note(2);
  end();

  expect(written).toBe('');
});
