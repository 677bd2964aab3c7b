import { setting } from '../config.ts';
import type { StoredFile } from './file.ts';
import { objectIn, readObject, readRange } from './objects.ts';

/** A range is read whole before it is handed on, so that a slow reader leaves no connection idle. */
const rangeBytes = 4 * 2 ** 20;

/** What the manifest of a file lists: the objects that have its bytes in their order, each with how many. */
export type Manifest = [object: string, bytes: number][];

/** Reads a file from a byte of it on, to its end or before another byte, 4 MB at most at a time. */
export async function* readFile(
  file: StoredFile,
  { from = 0, to = file.bytes }: { from?: number; to?: number } = {},
): AsyncGenerator<Uint8Array> {
  if (file.text !== undefined) {
    const bytes = Buffer.from(file.text).subarray(from, to);
    if (bytes.length > 0) yield bytes;
    return;
  }
  let begin = 0;
  for (const [name, bytes] of await objectsOf(file)) {
    const last = Math.min(bytes, to - begin);
    for (let start = Math.max(0, from - begin); start < last; start += rangeBytes) {
      const end = Math.min(last, start + rangeBytes);
      yield file.text_object
        ? await readRange(name, start, end, setting('OBJECTS_BUCKET'))
        : await readRange(objectIn(file, name), start, end);
    }
    begin += bytes;
    if (begin >= to) return;
  }
}

async function objectsOf(file: StoredFile): Promise<Manifest> {
  if (file.text_object) return [[file.text_object, file.bytes]];
  if (file.object) return [[file.object, file.bytes]];
  return JSON.parse(await readObject(objectIn(file, file.manifest ?? '')));
}
