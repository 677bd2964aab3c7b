import { freeAnswerBytes, maxAnswerBytes, usualAnswerBytes } from '../http/bounds.ts';
import type { Room } from '../http/byte-budget.ts';
import { AnswerTooLargeError } from './errors.ts';

/** The bound of an answer's bytes, and the call that reads them. */
export interface AnswerBytesOptions {
  /** The most that may be in memory at once, if that is more than usual. */
  mostBytes?: number | undefined;
  signal: AbortSignal;
  /** Told how much came of an answer that is too large, before that is thrown. */
  onTooLarge: (bytes: number) => void;
}

/** Bounds what of a call's answer is in memory at once: an answer in one piece, or an event of a stream. */
export class AnswerBytes {
  private readonly room: Room;
  private readonly options: AnswerBytesOptions;
  private level = freeAnswerBytes;
  private taken = 0;

  constructor(room: Room, options: AnswerBytesOptions) {
    this.room = room;
    this.options = options;
  }

  /**
   * Told how many bytes there are now; more are read once there is room for them. An answer waits for that as long as its
   * call may take, as it is paid for. Throws `AnswerTooLargeError`, and the signal's reason.
   */
  async hold(bytes: number): Promise<void> {
    const { mostBytes = maxAnswerBytes, signal, onTooLarge } = this.options;
    if (bytes > mostBytes) {
      onTooLarge(bytes);
      throw new AnswerTooLargeError(bytes, mostBytes);
    }
    if (bytes <= this.level) return;
    const isLarge = bytes > usualAnswerBytes;
    const kind = isLarge ? 'largeAnswer' : 'answer';
    this.level = isLarge ? mostBytes : usualAnswerBytes;
    const more = this.level - this.taken;
    this.taken += await this.room.take(more, { kind, waitMs: null, signal });
  }

  /** Told how many bytes of a stream wait for the end of their event. */
  async holdPending(bytes: number): Promise<void> {
    if (bytes <= freeAnswerBytes) this.keep(0);
    else await this.hold(bytes);
  }

  /** Gives back the bytes taken beyond the given number, as no more will come. */
  keep(bytes: number): void {
    const less = this.taken - bytes;
    if (less <= 0) return;
    this.room.give(less);
    this.taken = bytes;
    this.level = Math.max(bytes, freeAnswerBytes);
  }
}
