import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileLine } from '../../requests/file-line.ts';
import type { RequestFile } from '../../requests/request-file.ts';

const lineFeed = 0x0a;

/** Finds where the lines of a file begin, so that each can be read alone: results come in any order. */
export async function openLineIndex(file: RequestFile) {
  const starts = [0];
  let at = 0;
  for await (const chunk of createReadStream(file.path) as AsyncIterable<Buffer>) {
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, end + 1)) {
      starts.push(at + end + 1);
    }
    at += chunk.length;
  }
  starts.push(at + 1);
  const handle = await open(file.path);
  return {
    /** Reads a line by its number, from 1; undefined if the file has none. */
    async read(number: number): Promise<FileLine | undefined> {
      const [start, next] = starts.slice(number - 1, number + 1);
      if (start === undefined || next === undefined || next - 1 < start) return undefined;
      const buffer = Buffer.alloc(next - 1 - start);
      await handle.read(buffer, 0, buffer.length, start);
      const { job, models } = file;
      const text = buffer.toString();
      return { job, models, number, line: number === 1 ? text.replace(/^\uFEFF/, '') : text };
    },
    close: () => handle.close(),
  };
}
