import { Writable } from 'node:stream';
import type { ResponseHead } from './invocation.ts';

type Post = (reply: { head: ResponseHead } | { chunk: Uint8Array }) => void;

/** The response stream that Lambda gives a streaming handler. One chunk is under way at a time. */
export class ResponseStream extends Writable {
  private readonly post: Post;
  private onChunkTaken: (() => void) | undefined;

  constructor(post: Post) {
    super();
    this.post = post;
  }

  /** Begins an HTTP response. */
  begin(head: ResponseHead): void {
    this.post({ head });
  }

  /** Sends the next chunk: the gateway has taken the last one. */
  chunkTaken(): void {
    this.onChunkTaken?.();
  }

  /** Resolves once everything is sent. */
  finished(): Promise<void> {
    if (this.writableFinished) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.once('finish', resolve).once('error', reject);
    });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.send(chunk, done);
  }

  /** Sends what was written while a chunk was under way as one chunk. */
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  private send(chunk: Buffer, done: () => void): void {
    if (chunk.length === 0) {
      done();
      return;
    }
    this.onChunkTaken = done;
    this.post({ chunk });
  }
}

/** `awslambda.HttpResponseStream.from`: gives a response stream a status and headers. */
export function withHead(stream: ResponseStream, head: ResponseHead): ResponseStream {
  stream.begin(head);
  return stream;
}
