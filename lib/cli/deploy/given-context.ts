import { readFileSync } from 'node:fs';
import { RootConstruct } from 'constructs';
import {
  prefix,
  readSettings,
  type Settings,
  settingNames,
} from '../../stack/settings/settings.ts';
import { CommandError, meantAmong } from '../command-line.ts';

/** What a deploy was called with. */
export interface Given {
  /** The settings' values as they were given, by their whole names. */
  context: Record<string, unknown>;
  settings: Settings;
}

/** Reads the settings of a deploy from `cdk.json` and its own arguments, as the CDK's command does. */
export function givenContext(args: readonly string[], file = 'cdk.json'): Given {
  const { context = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
    context?: Record<string, unknown>;
  };
  const given = Object.fromEntries(
    Object.entries({ ...context, ...Object.fromEntries(contextIn(args)) }).filter(([name]) =>
      name.startsWith(prefix),
    ),
  );
  return { context: given, settings: settingsOf(given) };
}

/** Throws a CommandError with a sentence for each wrong setting. */
export function settingsOf(context: Record<string, unknown>): Settings {
  const unknown = Object.keys(context).find((name) => !settingNames.includes(name));
  const meant = unknown === undefined ? '' : meantAmong(settingNames, unknown, '');
  if (meant) throw new CommandError(`There is no setting ${unknown}${meant}.`);
  const { node } = new RootConstruct();
  for (const [name, value] of Object.entries(context)) node.setContext(name, value);
  try {
    return readSettings(node);
  } catch (cause) {
    throw new CommandError((cause as Error).message, { cause });
  }
}

/** The values of `-c name=value` and `--context name=value`, in any spelling. */
function contextIn(args: readonly string[]): [name: string, value: string][] {
  return args.flatMap((arg, index) => {
    const [, attached] = arg.match(/^(?:--context=|-c=?(?=.))(.*)$/s) ?? [];
    const text = /^(--context|-c)$/.test(arg) ? args[index + 1] : attached;
    const [, name, value] = text?.match(/^([^=]+)=(.*)$/s) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  }) as [string, string][];
}

/** Returns the value of an option in another program's arguments: `--name value` or `--name=value`; undefined if it isn't there. */
export function optionIn(args: readonly string[], name: string): string | undefined {
  const index = args.indexOf(`--${name}`);
  if (index >= 0) return args[index + 1];
  return args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}
