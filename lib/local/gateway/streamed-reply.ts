import { PassThrough } from 'node:stream';
import type { AnswerHead, AnswerSink } from '../lambda/invocation.ts';

/** A streamed answer on its way to a client; for one who went away the function's chunks are dropped. */
export class StreamedAnswer implements AnswerSink {
  readonly body = new PassThrough();
  readonly begun: Promise<AnswerHead>;
  private begin: (head: AnswerHead) => void = () => {};
  private refuse: (error: unknown) => void = () => {};

  constructor() {
    this.begun = new Promise((resolve, reject) => {
      this.begin = resolve;
      this.refuse = reject;
    });
    this.body.on('error', () => {});
  }

  head(head: AnswerHead): void {
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

  /** Follows the invocation to its end: a failure before the head is the gateway's to answer. */
  follow(invocation: Promise<unknown>): void {
    invocation.then(
      () => {
        this.refuse(new Error('The function ended without an answer'));
        this.body.end();
      },
      (error: Error) => {
        this.refuse(error);
        this.body.destroy(error);
      },
    );
  }
}
