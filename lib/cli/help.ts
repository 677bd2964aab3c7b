import { type CommandLine, commonOptions } from './command-line.ts';
import { aligned } from './text.ts';

/** Returns the help for a program: its commands; or for one command: its options. */
export function helpFor<Name extends string>(
  line: CommandLine<Name>,
  name: Name | undefined,
): string {
  const run = `npm run ${line.program} --`;
  if (name) {
    const { summary, options, ownOptions, notes } = line.commands[name];
    const usage = `${run} ${nameAndId(line, name)} [options]`;
    const parts = [
      summary,
      `  ${usage}`,
      optionLines({ ...line.options, ...ownOptions }, options),
      notes,
    ];
    return parts.filter(Boolean).join('\n\n');
  }
  const names = (Object.keys(line.commands) as Name[]).map((each) => [
    `  ${nameAndId(line, each)}`,
    line.commands[each].summary,
  ]);
  const shared = Object.keys(line.options).filter(
    (option) => option === 'json' || Object.hasOwn(commonOptions, option),
  );
  return `${line.summary}

  ${run} COMMAND [options]

${aligned(names)}

${optionLines(line.options, shared)}

${run} COMMAND --help shows a command's own options.`;
}

function nameAndId<Name extends string>({ commands }: CommandLine<Name>, name: Name): string {
  const { takesKeyId, takesJobId, idIsOptional, takesMany } = commands[name];
  if (takesMany) return `${name} ${takesMany}`;
  if (!takesKeyId && !takesJobId) return name;
  return idIsOptional ? `${name} [ID]` : `${name} ID`;
}

function optionLines(options: CommandLine<string>['options'], names: readonly string[]): string {
  return names
    .map((name) => {
      const [value, does] = options[name] ?? [];
      return `  ${`--${name} ${value}`.padEnd(23)}  ${does}`;
    })
    .join('\n');
}
