import { PassThrough } from 'node:stream';
import type { ResponseHead, ResponseSink } from '../lambda/invocation.ts';

/** A streamed response on its way to a client. If the client goes away, the rest of the chunks is dropped. */
export class StreamedReply implements ResponseSink {
  readonly body = new PassThrough();
  private readonly beginning = Promise.withResolvers<ResponseHead>();
  /** Resolves with the response's head; rejects if the invocation ends before it. */
  readonly begun = this.beginning.promise;
  /** Resolves once the invocation is over, with whether it succeeded. */
  private over: Promise<boolean> = Promise.resolve(false);
  private isLeft = false;
  /** Whether the client has gone before something that was written. */
  private isCut = false;

  constructor() {
    this.body.on('error', () => {});
  }

  head(head: ResponseHead): void {
    this.beginning.resolve(head);
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.isCut ||= this.isLeft && chunk.length > 0;
    if (this.body.destroyed || this.body.write(chunk)) return;
    await new Promise<void>((resolve) => {
      const settle = () => {
        this.body.off('drain', settle).off('close', settle);
        resolve();
      };
      this.body.once('drain', settle).once('close', settle);
    });
  }

  /** Ends the body with the invocation, or breaks it off if that fails. */
  follow(invocation: Promise<unknown>): void {
    this.over = invocation.then(
      () => {
        this.beginning.reject(new Error('The function ended without an answer'));
        this.body.end();
        return true;
      },
      (error: Error) => {
        this.beginning.reject(error);
        this.body.destroy(error);
        return false;
      },
    );
  }

  /** Told that the client is gone. Returns, once the function is done, whether nothing was left to send. */
  async isAllSent(): Promise<boolean> {
    this.isLeft = true;
    this.isCut ||= this.body.readableLength + this.body.writableLength > 0;
    return (await this.over) && !this.isCut;
  }
}
