import { type Arguments, readArguments } from './arguments.ts';
import type { CommandLine } from './command-line.ts';
import { sentenceOf } from './sentence.ts';

/** What a command has to tell: a text or, with `--json`, an object; or lines, one after another. */
export type Outcome = { json: object; text: string } | { lines: AsyncIterable<string> };

/** Runs the command that this process was called with; what an operator can put right is one sentence. */
export async function runCommand<Name extends string>(
  line: CommandLine<Name>,
  run: Record<Name, (args: Arguments<Name>) => Promise<Outcome>>,
): Promise<void> {
  try {
    const args = readArguments(process.argv.slice(2), line);
    if ('help' in args) return console.log(args.help);
    const outcome = await run[args.command](args);
    if ('lines' in outcome) {
      for await (const each of outcome.lines) console.log(each);
    } else {
      const { json, text } = outcome;
      console.log(args.flags.has('json') ? JSON.stringify(json, null, 2) : text);
    }
  } catch (error) {
    const sentence = sentenceOf(error);
    if (!sentence) throw error;
    console.error(sentence);
    process.exitCode = 1;
  }
}
