import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

/** A text on disk that is written no faster than the disk takes it, and whole once its writer is disposed of. */
export class TextFile {
  readonly path: string;
  private readonly stream;
  private readonly whole: Promise<void>;

  constructor(path: string) {
    this.path = path;
    this.stream = createWriteStream(path);
    this.whole = finished(this.stream);
    // The error is thrown where the file is ended.
    this.whole.catch(() => {});
  }

  async write(text: string): Promise<void> {
    if (!this.stream.write(text)) await once(this.stream, 'drain');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stream.end();
    await this.whole;
  }
}
