import type { ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { StageError } from '../local/stage-error.ts';
import { type Arguments, readArguments } from './arguments.ts';
import { CommandError, type CommandLine, parseOptions } from './command-line.ts';

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
  await inSentences(async () => {
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
  });
}

/** A program without commands; its help is written out. */
interface Program<Options extends ParseArgsOptionsConfig> {
  /** The command that runs it, such as `npm run adopt`. */
  call: string;
  help: string;
  options: Options;
  takesWords?: boolean;
}

type Given<Options extends ParseArgsOptionsConfig> = Pick<
  ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>>,
  'values' | 'positionals'
>;

/** Runs a program without commands, or prints its help; what an operator can put right prints as a sentence. */
export const runProgram = <Options extends ParseArgsOptionsConfig>(
  { call, help, options, takesWords = false }: Program<Options>,
  run: (given: Given<Options>) => Promise<void>,
): Promise<void> =>
  inSentences(async () => {
    const all: ParseArgsOptionsConfig = { ...options, help: { type: 'boolean', short: 'h' } };
    const config = { allowPositionals: takesWords, options: all };
    const given = parseOptions(config, `${call} -- --help lists the options`);
    if (given.values['help']) process.stdout.write(help);
    else await run(given as Given<Options>);
  });

/** Runs something of which errors that an operator can put right print as a sentence. */
export async function inSentences(run: () => Promise<void>): Promise<void> {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', endWithReader);
  try {
    await run();
  } catch (error) {
    const sentence = sentenceOf(error);
    if (!sentence) throw error;
    console.error(sentence);
    process.exitCode = 1;
  }
}

/** The reader of the output may close it early. */
function endWithReader({ code }: NodeJS.ErrnoException): void {
  process.exit(code === 'EPIPE' ? 0 : 1);
}

/** Says in one sentence what went wrong; undefined if only a stack trace helps. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof CommandError || error instanceof StageError) return error.message;
  if (!(error instanceof Error)) return undefined;
  return error.name === 'ServiceError'
    ? error.message
    : (fileSentence(error) ?? awsSentence(error));
}

/** `ENOTDIR: not a directory, mkdir 'README.md/x'` begins with what is wrong, and has the path apart. */
function fileSentence({ path, message }: Error & { path?: string }): string | undefined {
  const reason = path && message.match(/^E[A-Z]+: ([^,]+),/)?.[1];
  return reason ? `${path}: ${reason}.` : undefined;
}

function awsSentence(error: Error & { $metadata?: unknown }): string | undefined {
  const { name, message } = error;
  if (name === 'CredentialsProviderError') {
    return `No AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (${message}).`;
  }
  if (message === 'Region is missing') return 'No AWS region is set: set AWS_REGION.';
  return error.$metadata ? `The request to AWS failed: ${name}: ${message}` : undefined;
}

/** A thing with an id and a name. A revoked key's name may be another's by now. */
interface Named {
  id: string;
  name: string;
  state?: string;
}

/** Lists what a command's ids are of, at the target that the options name. */
type ListNamed = (values: { [option: string]: string }) => Promise<readonly Named[]>;

/** Puts the id in the place of a name that was given. Throws CommandError if nothing has that name. */
async function withIdOfName<Name extends string>(
  args: Arguments<Name>,
  { commands, idsOf = 'key' }: CommandLine<Name>,
  named: ListNamed | undefined,
): Promise<Arguments<Name>> {
  const { id, command, values } = args;
  if (!named || !commands[command].takes || !id || id.startsWith(`${idsOf}_`)) return args;
  return { ...args, id: idMeant(await named(values), id, idsOf) };
}

/** Returns the id of what has this id or name. Throws CommandError if nothing has. */
export function idMeant(all: readonly Named[], wanted: string, of: string): string {
  const meant = all.filter(({ id, name }) => id === wanted || name === wanted);
  const one = meant.find(({ state }) => state !== 'revoked') ?? meant[0];
  if (one) return one.id;
  // The given word may be a secret: the message must not repeat it.
  throw new CommandError(
    `There is no ${of} of this id or name: npm run ${of}s -- list shows them.`,
  );
}
