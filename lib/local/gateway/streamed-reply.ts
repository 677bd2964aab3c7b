import { PassThrough } from 'node:stream';
import type { ResponseHead, ResponseSink } from '../lambda/invocation.ts';

/** A streamed response on its way to a client. If the client goes away, the rest of the chunks is dropped. */
export class StreamedReply implements ResponseSink {
  readonly body = new PassThrough();
  /** Resolves with the response's head; rejects if the invocation ends before it. */
  readonly begun: Promise<ResponseHead>;
  private begin: (head: ResponseHead) => void = () => {};
  private fail: (error: unknown) => void = () => {};

  constructor() {
    this.begun = new Promise((resolve, reject) => {
      this.begin = resolve;
      this.fail = reject;
    });
    this.body.on('error', () => {});
  }

  head(head: ResponseHead): void {
    this.begin(head);
  }

  async write(chunk: Uint8Array): Promise<void> {
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
    invocation.then(
      () => {
        this.fail(new Error('The function ended without an answer'));
        this.body.end();
      },
      (error: Error) => {
        this.fail(error);
        this.body.destroy(error);
      },
    );
  }
}
