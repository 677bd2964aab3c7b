import { createInterface } from 'node:readline/promises';
import { CommandError } from './command-line.ts';

/**
 * Asks whether what looks like a mistake is meant, unless `--yes` has answered. The question goes to standard
 * error, so that the output stays whole. Throws `CommandError` if it isn't meant, or if nobody can be asked.
 */
export async function confirm(doubts: string[], flags: ReadonlySet<string>): Promise<void> {
  if (doubts.length === 0 || flags.has('yes')) return;
  if (!process.stdin.isTTY) throw new CommandError(`${doubts.join(' ')} Add --yes if you mean it.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${doubts.join('\n')}\nGo on? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.');
}
