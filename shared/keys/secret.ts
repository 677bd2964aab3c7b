import { hash, randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const characters = 43;

/** The form of a secret: `sk-` and 43 letters and digits. */
export const secretPattern = new RegExp(`^sk-[0-9A-Za-z]{${characters}}$`);

/** Makes a secret: `sk-` and 256 random bits in base62. */
export function newSecret(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let digits = '';
  for (let i = 0; i < characters; i++) {
    digits = alphabet[Number(rest % 62n)] + digits;
    rest /= 62n;
  }
  return `sk-${digits}`;
}

/** Hashes a secret with SHA-256, as it is stored. 256 random bits need no salt and no slow hash. */
export const hashSecret = (secret: string) => hash('sha256', secret);
