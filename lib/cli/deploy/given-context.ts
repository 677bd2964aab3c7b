import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RootConstruct } from 'constructs';
import {
  prefix,
  readSettings,
  type Settings,
  settingNames,
} from '../../stack/settings/settings.ts';
import { CommandError, meantAmong } from '../command-line.ts';

/** The context that a deploy was called with. */
export interface Given {
  /** The settings' values as they were given, by their whole names. */
  context: Record<string, unknown>;
  settings: Settings;
}

/** Reads the settings of a deploy from `cdk.json` and its own arguments, and its profile, as the CDK's command does. */
export function givenContext(args: string[]): Given & { profile: string | undefined } {
  const { context = {} } = JSON.parse(readFileSync('cdk.json', 'utf8')) as {
    context?: Record<string, unknown>;
  };
  // All other options are the CDK's own.
  const { values } = parseArgs({
    ...{ args, strict: false, allowPositionals: true },
    options: {
      context: { type: 'string', short: 'c', multiple: true },
      profile: { type: 'string' },
    },
  });
  const pairs = (values.context ?? []).map((text) =>
    String(text).replace(/^=/, '').split(/=(.*)/s),
  );
  const given = Object.entries({ ...context, ...Object.fromEntries(pairs) }).filter(([name]) =>
    name.startsWith(prefix),
  );
  const own = Object.fromEntries(given);
  const profile = typeof values.profile === 'string' ? values.profile : undefined;
  return { context: own, settings: settingsOf(own), profile };
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
