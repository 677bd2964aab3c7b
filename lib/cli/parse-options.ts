import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../../shared/http/misspellings.ts';
import { CommandError } from './command-line.ts';

/** Reads a command line. Throws CommandError in one sentence; `help` says where the options are listed. */
export function parseOptions<Config extends ParseArgsConfig>(
  config: Config,
  help: string,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const names = Object.keys(config.options ?? {});
    throw new CommandError(sentenceFor(error as Error & { code?: string }, names, help), {
      cause: error,
    });
  }
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
