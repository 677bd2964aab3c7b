import { type CommandLine, optionNames } from './command-line.ts';
import { aligned } from './text.ts';

/** Returns the help for a program: its commands; or for one command: its options. */
export function helpFor<Name extends string>(
  line: CommandLine<Name>,
  name: Name | undefined,
): string {
  const run = `npm run ${line.program} --`;
  if (name) {
    const command = line.commands[name];
    const parts = [
      command.summary,
      `  ${run} ${nameAndId(line, name)} [options]`,
      optionLines({ ...line.options, ...command.ownOptions }, optionNames(line, command)),
      command.notes,
    ];
    return parts.filter(Boolean).join('\n\n');
  }
  const names = (Object.keys(line.commands) as Name[]).map((each) => [
    `  ${nameAndId(line, each)}`,
    line.commands[each].summary,
  ]);
  return `${line.summary}

  ${run} COMMAND [options]

${aligned(names)}

${optionLines(line.options, optionNames(line))}

${run} COMMAND --help shows a command's own options.`;
}

const nameAndId = <Name extends string>({ commands }: CommandLine<Name>, name: Name): string =>
  [name, commands[name].takes].filter(Boolean).join(' ');

function optionLines(options: CommandLine<string>['options'], names: readonly string[]): string {
  return names
    .map((name) => {
      const [value, does] = options[name] ?? [];
      return `  ${`--${name} ${value}`.padEnd(23)}  ${does}`;
    })
    .join('\n');
}
