import { endianness } from 'node:os';

/** A vector as a provider sends it: numbers, or little-endian floats of 32 bits in base64. */
export type Vector = number[] | string;

/** Whether a provider's value is a vector, of a length if one is given. */
export function isVector(value: unknown, length?: number): value is Vector {
  if (typeof value === 'string') {
    const bytes = Buffer.byteLength(value, 'base64');
    return bytes > 0 && bytes % 4 === 0 && (length === undefined || bytes === 4 * length);
  }
  if (!Array.isArray(value) || value.length === 0) return false;
  return (length === undefined || value.length === length) && value.every(Number.isFinite);
}

/** A vector as numbers. */
export function asNumbers(vector: Vector): number[] {
  if (typeof vector !== 'string') return vector;
  const bytes = littleEndian(Buffer.from(vector, 'base64'));
  return Array.from(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4));
}

/** A vector in base64, as OpenAI's clients ask for it unless they are told otherwise. */
export function asBase64(vector: Vector): string {
  if (typeof vector === 'string') return vector;
  return littleEndian(Buffer.from(Float32Array.from(vector).buffer)).toString('base64');
}

/** The same floats in the other order of bytes, on a machine that has that one. The copy begins where floats may begin. */
function littleEndian(bytes: Buffer): Buffer {
  const copy = Buffer.from(new Uint8Array(bytes).buffer);
  return endianness() === 'LE' ? copy : copy.swap32();
}
