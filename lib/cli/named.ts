import type { Arguments } from './arguments.ts';
import { CommandError, type CommandLine } from './command-line.ts';

/** What has an id and a name. A revoked key's name may be another's by now. */
interface Named {
  id: string;
  name: string;
  state?: string;
}

/** Lists what a command's ids are of, at the target that the options name. */
export type ListNamed = (values: { [option: string]: string }) => Promise<readonly Named[]>;

/** Puts the id in the place of a name that was given. Throws CommandError if nothing has that name. */
export async function withIdOfName<Name extends string>(
  args: Arguments<Name>,
  { commands, idsOf = 'key' }: CommandLine<Name>,
  named: ListNamed | undefined,
): Promise<Arguments<Name>> {
  const { id, command, values } = args;
  if (!named || !commands[command].takesKeyId || !id || id.startsWith(`${idsOf}_`)) return args;
  return { ...args, id: idMeant(await named(values), id, idsOf) };
}

/** Returns the id of what has this id or name. Throws CommandError if nothing has. */
export function idMeant(all: readonly Named[], wanted: string, of: string): string {
  const meant = all.filter(({ id, name }) => id === wanted || name === wanted);
  const one = meant.find(({ state }) => state !== 'revoked') ?? meant[0];
  if (one) return one.id;
  // What was given instead may be a secret: the message must not repeat it.
  throw new CommandError(
    `There is no ${of} of this id or name: npm run ${of}s -- list shows them.`,
  );
}
