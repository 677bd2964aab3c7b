import { Writable } from 'node:stream';
import type { ResponseHead } from './invocation.ts';

type Post = (reply: { head: ResponseHead } | { chunk: Uint8Array }) => void;

/** The most bytes that may be under way to the gateway. */
const windowBytes = 16_384;

/** The response stream that Lambda gives a streaming handler. */
export class ResponseStream extends Writable {
  /** Begins an HTTP response with a head, or sends a chunk of it. */
  readonly post: Post;
  /** The sizes of the chunks that are under way. */
  private readonly underWay: number[] = [];
  private onRoom: (() => void) | undefined;

  constructor(post: Post) {
    super();
    this.post = post;
  }

  /** Goes on once there is room: the gateway has taken a chunk. */
  chunkTaken(): void {
    this.underWay.shift();
    this.goOn();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.send(chunk, done);
  }

  /** Sends what was written while there was no room as one chunk. */
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  private send(chunk: Buffer, done: () => void): void {
    if (chunk.length === 0) {
      done();
      return;
    }
    this.post({ chunk });
    this.underWay.push(chunk.length);
    this.onRoom = done;
    this.goOn();
  }

  private goOn(): void {
    if (this.underWay.reduce((sum, bytes) => sum + bytes, 0) > windowBytes) return;
    const { onRoom } = this;
    this.onRoom = undefined;
    onRoom?.();
  }
}

/** `awslambda.HttpResponseStream.from`: gives a response stream a status and headers. */
export function withHead(stream: ResponseStream, head: ResponseHead): ResponseStream {
  stream.post({ head });
  return stream;
}
