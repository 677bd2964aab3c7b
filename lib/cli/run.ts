import { StageError } from '../local/stage-error.ts';
import { type Arguments, readArguments } from './arguments.ts';
import { CommandError, type CommandLine } from './command-line.ts';
import { type ListNamed, withIdOfName } from './named.ts';

/** What a command prints: a text, an object for `--json`, or lines. One that found something wrong exits with 1. */
export type Outcome =
  | { json: object; text: string; isWrong?: boolean }
  | { lines: AsyncIterable<string> };

/** Runs the called command; an operator's mistakes print as a sentence. `named` lists what may be given by name. */
export async function runCommand<Name extends string>(
  line: CommandLine<Name>,
  run: Record<Name, (args: Arguments<Name>) => Promise<Outcome>>,
  named?: ListNamed,
): Promise<void> {
  try {
    const args = readArguments(process.argv.slice(2), line);
    if ('help' in args) return console.log(args.help);
    const outcome = await run[args.command](await withIdOfName(args, line, named));
    if ('lines' in outcome) {
      for await (const each of outcome.lines) console.log(each);
    } else {
      const { json, text, isWrong } = outcome;
      console.log(args.flags.has('json') ? JSON.stringify(json, null, 2) : text);
      if (isWrong) process.exitCode = 1;
    }
  } catch (error) {
    const sentence = sentenceOf(error);
    if (!sentence) throw error;
    console.error(sentence);
    process.exitCode = 1;
  }
}

/** Says in one sentence what went wrong; undefined if only a stack trace helps. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof CommandError || error instanceof StageError) return error.message;
  if (!(error instanceof Error)) return undefined;
  return error.name === 'ServiceError' ? error.message : awsSentence(error);
}

function awsSentence(error: Error & { $metadata?: unknown }): string | undefined {
  const { name, message } = error;
  if (name === 'CredentialsProviderError') {
    return `No AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (${message}).`;
  }
  if (message === 'Region is missing') return 'No AWS region is set: set AWS_REGION.';
  return error.$metadata ? `The request to AWS failed: ${name}: ${message}` : undefined;
}
