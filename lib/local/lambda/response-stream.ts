import { Writable } from 'node:stream';
import type { AnswerHead } from './invocation.ts';

type Post = (reply: { head: AnswerHead } | { chunk: Uint8Array }) => void;

/** The response stream that Lambda gives a streaming handler: one chunk under way at a time. */
export class AnswerStream extends Writable {
  private readonly post: Post;
  private onTaken: (() => void) | undefined;

  constructor(post: Post) {
    super();
    this.post = post;
  }

  /** Begins an HTTP answer. */
  begin(head: AnswerHead): void {
    this.post({ head });
  }

  /** The gateway took the last chunk. */
  taken(): void {
    this.onTaken?.();
  }

  /** Resolves once all is sent. */
  finished(): Promise<void> {
    if (this.writableFinished) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.once('finish', resolve).once('error', reject);
    });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.send(chunk, done);
  }

  /** What gathered while a chunk was under way goes as one. */
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  private send(chunk: Buffer, done: () => void): void {
    if (chunk.length === 0) {
      done();
      return;
    }
    this.onTaken = done;
    this.post({ chunk });
  }
}

/** `awslambda.HttpResponseStream.from`: an answer stream with a status and headers. */
export function withHead(stream: AnswerStream, head: AnswerHead): AnswerStream {
  stream.begin(head);
  return stream;
}
