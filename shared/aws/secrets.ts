import { readSecretText } from '#secret-store';
import { remembered } from '../remembered.ts';

const secrets = remembered<string>(5 * 60_000);

/** Reads a secret's text, at most once in five minutes. Throws if it holds none, and doesn't remember that. */
export const secretText = (secretId: string): Promise<string> =>
  secrets.get(secretId, async () => {
    const text = await readSecretText(secretId);
    if (!text) throw new Error(`The secret ${secretId} holds no text`);
    return text;
  });

/** Forgets a secret, so that the next read sees a rotated value. */
export const forgetSecret = (secretId: string): void => secrets.forget(secretId);
