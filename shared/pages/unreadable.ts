import type { Unreadable } from './page.ts';

/** A page that is not read. It is returned to the caller as its reason, and never thrown beyond `readPage`. */
export class UnreadableError extends Error {
  readonly reason: Unreadable;

  constructor(reason: Unreadable, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'UnreadableError';
    this.reason = reason;
  }
}
