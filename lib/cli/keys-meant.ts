import type { ApiKey } from '../../shared/keys/key.ts';
import { CommandError } from './command-line.ts';

/** The keys that `--key` means: the key of this id, the keys of this name, or all without it. Throws CommandError. */
export function keysMeant<Key extends Pick<ApiKey, 'id' | 'name'>>(
  keys: readonly Key[],
  wanted: string | undefined,
): readonly Key[] {
  if (wanted === undefined) return keys;
  const meant = keys.filter(({ id, name }) => id === wanted || name === wanted);
  if (meant.length > 0) return meant;
  // The given word may be a secret: the message must not repeat it.
  throw new CommandError('--key takes the id or the name of a key, as npm run keys -- list shows.');
}
