import * as v from 'valibot';
import {
  CommandError,
  type CommandLine,
  meantAmong,
  optionNames,
  parseOptions,
  refuseTwice,
} from './command-line.ts';
import { helpFor } from './help.ts';

/** A command, and what it was called with. */
export interface Arguments<Name extends string> {
  command: Name;
  /** The id of a key, or of what else the program is about; empty for a command that takes none, or was given none. */
  id: string;
  /** The arguments of a command that takes several. */
  all: readonly string[];
  values: { [option: string]: string };
  /** The values of the options that may be given several times. */
  lists: { [option: string]: string[] };
  /** The options that were given and take no value. */
  flags: ReadonlySet<string>;
}

/** Reads the command line. Returns the help if that was asked for. Throws CommandError. */
export function readArguments<Name extends string>(
  args: string[],
  line: CommandLine<Name>,
): Arguments<Name> | { help: string } {
  const { values, positionals } = parse(args, line);
  const [command, ...rest] = positionals;
  if (command !== undefined && !isCommand(line, command)) {
    const meant = meantAmong(Object.keys(line.commands), command, '');
    throw new CommandError(`There is no command ${command}${meant}; ${listOf(line)}.`);
  }
  if (values['help']) return { help: helpFor(line, command) };
  if (!command) throw new CommandError(`A command is missing; ${listOf(line)}.`);

  refuseUnknownOptions(line, command, Object.keys(values));
  const { ownOptions = {}, takes = '' } = line.commands[command];
  const given = Object.entries(values).map(([name, value]) => {
    if (!Array.isArray(value) || !ownOptions[name]) return [name, value] as const;
    refuseTwice(value.map(() => name));
    return [name, value[0]] as const;
  });
  return {
    command,
    ...(['FILE...', 'TEXT'].includes(takes)
      ? { id: '', all: rest }
      : { id: idAmong(rest, line, command), all: [] }),
    values: Object.fromEntries(given.filter(([, value]) => typeof value === 'string')) as Record<
      string,
      string
    >,
    lists: Object.fromEntries(given.filter(([, value]) => Array.isArray(value))) as Record<
      string,
      string[]
    >,
    flags: new Set(given.flatMap(([name, value]) => (value === true ? name : []))),
  };
}

/** Reads `--some-option` as the schema's `some_option`. Throws CommandError about the first that is wrong. */
export function readValues<Schema extends v.GenericSchema>(
  schema: Schema,
  values: { [option: string]: string },
): v.InferOutput<Schema> {
  const fields = Object.entries(values).map(([name, text]) => [name.replaceAll('-', '_'), text]);
  const read = v.safeParse(schema, Object.fromEntries(fields));
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw new CommandError(`--${v.getDotPath(issue)?.replaceAll('_', '-')} ${issue.message}.`);
}

const isCommand = <Name extends string>(
  { commands }: CommandLine<Name>,
  name: string,
): name is Name => Object.hasOwn(commands, name);

const listOf = ({ commands }: CommandLine<string>) =>
  `the commands are ${Object.keys(commands).join(', ')}`;

const parse = (args: string[], { program, options }: CommandLine<string>) =>
  parseOptions(
    {
      args,
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, [value, , times]]) => [
          name,
          {
            type: value ? 'string' : 'boolean',
            multiple: times === 'many',
            ...(name === 'help' && { short: 'h' }),
          } as const,
        ]),
      ),
    },
    `npm run ${program} -- --help lists the commands`,
  );

function refuseUnknownOptions<Name extends string>(
  line: CommandLine<Name>,
  command: Name,
  given: string[],
): void {
  const known = optionNames(line, line.commands[command]);
  const other = given.find((name) => !known.includes(name));
  if (!other) return;
  throw new CommandError(
    `${command} has no option --${other}${meantAmong(known, other)}; npm run ${line.program} -- ${command} --help lists its options.`,
  );
}

function idAmong<Name extends string>(
  [id = '', ...more]: string[],
  { program, commands, idsOf = 'key' }: CommandLine<Name>,
  command: Name,
): string {
  const { takes } = commands[command];
  const surplus = takes ? more : [id, ...more].filter(Boolean);
  if (surplus.length > 0) {
    throw new CommandError(
      `${command} takes ${takes ? 'one id' : 'options only'}, not also ${surplus.join(' ')}.`,
    );
  }
  if (!takes || (takes === '[ID]' && !id)) return id;
  const prefix = idsOf === 'file' ? 'file-' : `${idsOf}_`;
  const isNamed = idsOf === 'key' || idsOf === 'team';
  if (id.startsWith(prefix) || (isNamed && id && !isOther.test(id))) return id;
  const orName = isNamed ? ' or its name,' : '';
  const list = program === 'quire' ? 'quire -- jobs' : `${idsOf}s -- list`;
  // The given word may be a secret: the message must not repeat it.
  throw new CommandError(
    `${command} takes a ${idsOf}'s id, ${prefix}…,${orName} as npm run ${list} shows them.`,
  );
}

/** The beginnings of secrets and ids, which no name may have. */
const isOther = /^(sk-|key_|team_|job_|file-)/;

/** A whole number from 1 to a most, as an option gives it. */
function count(most: number, usual: string) {
  const expected = ({ input }: v.BaseIssue<unknown>) =>
    `takes a whole number from 1 to ${most}, not "${input}"`;
  const digits = v.pipe(v.string(), v.regex(/^[1-9]\d*$/, expected));
  return v.optional(v.pipe(digits, v.transform(Number), v.maxValue(most, expected)), usual);
}

/** How many days a report is about: today (UTC) and the days before. */
export const daysOption = (usual: string) => v.object({ days: count(400, usual) });

/** How many entries a list shows at most. */
export const LimitOption = v.object({ limit: count(10_000, '50') });
