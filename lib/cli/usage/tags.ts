import { CommandError } from '../command-line.ts';

/** Reads `--tag NAME=VALUE`, of which the name has no `=`. Throws CommandError. */
export function readTags(tags: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    tags.map((tag) => {
      const at = tag.indexOf('=');
      if (at < 1) throw new CommandError(`--tag takes NAME=VALUE, not "${tag}".`);
      return [tag.slice(0, at), tag.slice(at + 1)];
    }),
  );
}
