import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';
import {
  type CommandName,
  commands,
  helpFor,
  isCommand,
  type Option,
  options,
} from './commands.ts';

/** A command as it was called. */
export interface Arguments {
  command: CommandName;
  /** Empty for a command that takes none. */
  id: string;
  values: { [Name in Option]?: string };
  json: boolean;
}

/** Reads the command line; answers the help, where that is wanted. */
export function readArguments(args: string[]): Arguments | { help: string } {
  const { values, positionals } = parse(args);
  const [command, ...rest] = positionals;
  if (command !== undefined && !isCommand(command)) {
    throw new CommandError(`There is no command ${command}; ${commandList}.`);
  }
  if (values['help']) return { help: helpFor(command) };
  if (!command) throw new CommandError(`A command is missing; ${commandList}.`);

  refuseOthersOptions(command, Object.keys(values));
  const { json = false, ...texts } = values;
  return {
    command,
    id: idAmong(rest, command),
    values: texts as Arguments['values'],
    json: Boolean(json),
  };
}

const commandList = `the commands are ${Object.keys(commands).join(', ')}`;

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, [value]]) => [
          name,
          { type: value ? 'string' : 'boolean', ...(name === 'help' && { short: 'h' }) } as const,
        ]),
      ),
    });
  } catch (error) {
    throw new CommandError(sentenceFor(error as Error & { code?: string }), { cause: error });
  }
}

/** Node's own words take several lines, and explain how to give a value that looks like an option. */
function sentenceFor({ code, message }: Error & { code?: string }): string {
  const option = message.match(/'(?:-\w, )?(-[^'\s=]*)/)?.[1];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    return `There is no option ${option}; npm run keys -- --help lists the commands.`;
  }
  return message.includes('does not take an argument')
    ? `${option} takes no value.`
    : `${option} needs a value; one that starts with - is given as ${option}=VALUE.`;
}

function refuseOthersOptions(command: CommandName, given: string[]): void {
  const own: string[] = commands[command].options;
  const other = given.find((name) => !own.includes(name));
  if (!other) return;
  throw new CommandError(
    `${command} has no option --${other}; npm run keys -- ${command} --help lists its options.`,
  );
}

function idAmong([id = '', ...more]: string[], command: CommandName): string {
  const { takesId } = commands[command];
  const surplus = takesId ? more : [id, ...more].filter(Boolean);
  if (surplus.length > 0) {
    throw new CommandError(
      `${command} takes ${takesId ? 'one id' : 'options only'}, not also ${surplus.join(' ')}.`,
    );
  }
  // What was given instead may be a secret, and is not to be repeated.
  if (takesId && !id.startsWith('key_')) {
    throw new CommandError(`${command} takes a key's id, key_…, as list shows them.`);
  }
  return id;
}
