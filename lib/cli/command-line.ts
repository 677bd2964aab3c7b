import { createInterface } from 'node:readline/promises';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../../shared/http/misspellings.ts';

/** An option: the name of its value, if it takes one, what it does, and whether it may be given several times. */
export type Option = readonly [value: string, does: string, times?: 'many'];

/** One command of a program. */
export interface Command<OptionName extends string = string> {
  summary: string;
  /** The arguments beside options: an id of the program's, optional if in brackets, or several words. */
  takes?: 'ID' | '[ID]' | 'FILE...' | 'TEXT';
  /** The names of the options that not every command has. */
  options?: readonly OptionName[];
  /** Whether it prints text alone, without the program's `--json`. */
  isText?: boolean;
  /** The options that mean something else in other commands. They take one value. */
  ownOptions?: Record<string, Option>;
  /** What its help says at the end. */
  notes?: string;
}

/** A program for operators: `npm run <program> -- COMMAND [options]`. */
export interface CommandLine<Name extends string, OptionName extends string = string> {
  program: string;
  summary: string;
  /** The noun of the ids that its commands take, listed by `npm run <noun>s -- list`; by default `key`. */
  idsOf?: 'key' | 'team' | 'file' | 'job';
  options: Record<OptionName, Option>;
  commands: Record<Name, Command<NoInfer<OptionName>>>;
}

/** The options that every command of every program takes; `--json` only those that print one result. */
const sharedOptions: Record<string, Option> = {
  json: ['', 'print one JSON object; npm run --silent prints nothing else'],
  data: ['DIR', 'the folder of the running local stage; default .local'],
  stack: ['NAME', 'a deployed stack instead, with your AWS credentials'],
  help: ['', 'show this'],
};

/** Describes a program. Its options and the shared ones are known to its commands; a caller's program reaches no stack. */
export function commandLine<Name extends string, OptionName extends string>(
  line: CommandLine<Name, OptionName>,
  isOfCaller = false,
): CommandLine<Name> {
  const { stack, ...ofCallers } = sharedOptions;
  return { ...line, options: { ...line.options, ...(isOfCaller ? ofCallers : sharedOptions) } };
}

/** The option of commands that list. */
export const shownOption = {
  limit: ['N', 'the most that are shown, from 1 to 10000; default 50'],
} as const satisfies Record<string, Option>;

/** What the help says of a command that takes times. */
export const timeNotes = 'TIME is a number and s, m, h, d, w or mo (a calendar month).';

/** Returns the names of the options that a command takes, or that all commands of the program take. */
export function optionNames(
  { options }: CommandLine<string>,
  { options: own = [], isText = false }: Partial<Command> = {},
): string[] {
  const shared = Object.keys(sharedOptions);
  return [...own, ...shared.filter((name) => options[name] && (name !== 'json' || !isText))];
}

/** An error that the operator can put right; its message is one sentence for them. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Reads a command line. Throws CommandError in one sentence; `help` says where the options are listed. */
export function parseOptions<Config extends ParseArgsConfig>(
  config: Config,
  help: string,
): ReturnType<typeof parseArgs<Config>> {
  try {
    const { tokens = [], ...parsed } = parseArgs({ ...config, tokens: true });
    const single = tokens.flatMap((token) =>
      token.kind === 'option' && !config.options?.[token.name]?.multiple ? token.name : [],
    );
    refuseTwice(single);
    return parsed as ReturnType<typeof parseArgs<Config>>;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const names = Object.keys(config.options ?? {});
    throw new CommandError(sentenceFor(error as Error & { code?: string }, names, help), {
      cause: error,
    });
  }
}

/** Refuses an option of one value that is given twice, as either value could be the one meant. */
export function refuseTwice(given: readonly string[]): void {
  const twice = given.find((name, index) => given.indexOf(name) < index);
  if (twice) throw new CommandError(`--${twice} is given twice: give it once.`);
}

/** Says which of some names was likely meant; nothing if none is like it. */
export function meantAmong(names: readonly string[], given: string, dashes = '--'): string {
  const meant = nearest(given, names) ?? names.find((name) => name.startsWith(`${given}-`));
  return meant ? ` (did you mean ${dashes}${meant}?)` : '';
}

/** Node's message takes several lines, and advises on values that look like options: this says it in one. */
function sentenceFor(
  { code, message }: Error & { code?: string },
  names: readonly string[],
  help: string,
): string {
  const option = message.match(/'(?:-\w, )?(-[^'\s=]*)/)?.[1] ?? '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    return `There is no option ${option}${meantAmong(names, option.replace(/^-+/, ''))}; ${help}.`;
  }
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') {
    return `${message.match(/'([^']*)'/)?.[1]} is one word too many; ${help}.`;
  }
  return message.includes('does not take an argument')
    ? `${option} takes no value.`
    : `${option} needs a value; one that starts with - is given as ${option}=VALUE.`;
}

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

/** Asks like `confirm`, but on a terminal only: a script that ends a leaked key must not be held up. */
export async function confirmOnTerminal(
  doubts: string[],
  flags: ReadonlySet<string>,
  terminal = ownTerminal,
): Promise<void> {
  if (terminal.input.isTTY) await confirm(doubts, flags, terminal);
}
