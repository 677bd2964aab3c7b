import { createInterface } from 'node:readline/promises';
import { CommandError } from './command-line.ts';

type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** Where a question is asked, and answered. */
interface Terminal {
  input: Input;
  output: NodeJS.WritableStream;
}

/** The question goes to standard error, so that the output stays whole. */
const ownTerminal: Terminal = { input: process.stdin, output: process.stderr };

/**
 * Asks whether a likely mistake is meant, unless `--yes` was given. Throws `CommandError` if not, or if nobody can be
 * asked.
 */
export async function confirm(
  doubts: string[],
  flags: ReadonlySet<string>,
  { input, output } = ownTerminal,
): Promise<void> {
  if (doubts.length === 0 || flags.has('yes')) return;
  if (!input.isTTY) throw new CommandError(`${doubts.join(' ')} Add --yes if you mean it.`);
  const terminal = createInterface({ input, output });
  const answer = await terminal.question(`${doubts.join('\n')}\nGo on? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.');
}

/** Asks as `confirm` does where somebody can be asked. A script that ends a leaked key must not be held up. */
export async function confirmOnTerminal(
  doubts: string[],
  flags: ReadonlySet<string>,
  terminal = ownTerminal,
): Promise<void> {
  if (terminal.input.isTTY) await confirm(doubts, flags, terminal);
}
