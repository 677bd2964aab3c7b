import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { confirm, confirmOnTerminal } from '../../lib/cli/command-line.ts';

const none = new Set<string>();
const doubts = ['To revoke: shop, for good.'];

/** A terminal on which this was typed. */
function typed(line: string) {
  const input: PassThrough & { isTTY?: boolean } = new PassThrough();
  input.isTTY = true;
  input.write(line);
  return { input, output: new PassThrough() };
}

/** What a script has in place of a terminal. */
const script = () => ({ input: new PassThrough(), output: new PassThrough() });

describe.each([
  ['confirm', confirm],
  ['confirmOnTerminal', confirmOnTerminal],
])('%s', (_, ask) => {
  it.each(['n\n', '\n', 'yesterday\n'])('stops at %j', async (answer) => {
    await expect(ask(doubts, none, typed(answer))).rejects.toThrow('Nothing was changed.');
  });

  it.each(['y\n', 'Yes\n'])('goes on at %j, and has asked', async (answer) => {
    const terminal = typed(answer);

    await ask(doubts, none, terminal);

    terminal.output.end();
    expect(await text(terminal.output)).toContain('To revoke: shop, for good.\nGo on? [y/N]');
  });

  it('asks nothing with --yes', async () => {
    const terminal = typed('');

    await ask(doubts, new Set(['yes']), terminal);

    expect(terminal.output.read()).toBeNull();
  });
});

it('a doubt stops a script that can answer nothing', async () => {
  await expect(confirm(doubts, none, script())).rejects.toThrow('Add --yes if you mean it.');
});

it('a script that revokes a key is not held up', async () => {
  await expect(confirmOnTerminal(doubts, none, script())).resolves.toBeUndefined();
});
