import { CommandError } from '../command-line.ts';

/** Reads `--tag NAME=VALUE`, of which the name has no `=`. Throws CommandError, also if a name has two values. */
export function readTags(tags: readonly string[] = []): Record<string, string> {
  const read = new Map<string, string>();
  for (const tag of tags) {
    const at = tag.indexOf('=');
    if (at < 1) throw new CommandError(`--tag takes NAME=VALUE, not "${tag}".`);
    const [name, value] = [tag.slice(0, at), tag.slice(at + 1)];
    if ((read.get(name) ?? value) !== value) {
      throw new CommandError(`--tag gives ${name} two values, and a charge has one: export each.`);
    }
    read.set(name, value);
  }
  return Object.fromEntries(read);
}
