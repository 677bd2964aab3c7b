import { EventEmitter, once } from 'node:events';
import { unreadBytes } from '../http/bounds.ts';
import type { Room } from '../http/byte-budget.ts';
import { ServiceError } from '../http/errors.ts';
import { errorFields, log } from '../log.ts';
import type { MeteredCall } from './metered-call.ts';
import { type Piece, readPieces } from './read-pieces.ts';

/** How long an upstream is held back in all for a slow reader. */
const defaultPatienceMs = 10_000;

/**
 * Reads an upstream's stream to its end and settles its call, also if the reader stalls or leaves. A full buffer
 * holds the upstream back for a while; then the rest is metered and dropped, so that its own usage settles the call.
 */
export class ReadAhead {
  private readonly unread: Piece[] = [];
  private unreadBytes = 0;
  /** How much waits for its reader before the upstream is held back. */
  private mostUnread = unreadBytes.least;
  private patienceMs: number;
  /** Whether what comes is kept for the reader. */
  private keeps = true;
  private isOver = false;
  private failure: unknown;
  private readonly changes = new EventEmitter<{ came: []; taken: [] }>();
  private readonly reading: Promise<void>;

  /** Reads a call once it is open. One that can't be opened breaks the stream. */
  constructor(opening: MeteredCall | Promise<MeteredCall>, patienceMs = defaultPatienceMs) {
    this.patienceMs = patienceMs;
    this.reading = this.read(opening);
    // `end` awaits it; until then nobody may.
    this.reading.catch(() => {});
  }

  /** Yields what came. Throws as `readPieces` does, and `ServiceError` where the reader was too slow to get the rest. */
  async *pieces(): AsyncGenerator<Piece> {
    for (;;) {
      const piece = this.unread.shift();
      if (piece) {
        this.unreadBytes -= piece.bytes.length;
        this.changes.emit('taken');
        yield piece;
      } else if (this.isOver || !this.keeps) break;
      else await once(this.changes, 'came');
    }
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure;
    if (!this.keeps) throw notRead();
  }

  /** Keeps nothing more, and waits until the upstream has been read to its end and the call is settled. */
  async end(): Promise<void> {
    this.keeps = false;
    this.changes.emit('taken');
    await this.reading;
    if (this.failure) log('warn', 'upstream stream broke', errorFields(this.failure));
  }

  private async read(opening: MeteredCall | Promise<MeteredCall>): Promise<void> {
    let call: MeteredCall | undefined;
    try {
      call = await opening;
      for await (const piece of readPieces(call)) await this.keep(piece, call);
    } catch (error) {
      this.failure = error;
    }
    this.isOver = true;
    this.changes.emit('came');
    await call?.end();
  }

  private async keep(piece: Piece, { signal, room }: MeteredCall): Promise<void> {
    if (!this.keeps) return;
    this.unread.push(piece);
    this.unreadBytes += piece.bytes.length;
    this.changes.emit('came');
    while (this.keeps && this.isFull(room)) await this.wait(signal);
  }

  private isFull(room: Room): boolean {
    const { least, most } = unreadBytes;
    if (this.unreadBytes <= this.mostUnread) return false;
    if (this.mostUnread === least && room.tryTake(most)) this.mostUnread = most;
    return this.unreadBytes > this.mostUnread;
  }

  /** Waits for the reader to take something. The time for that is limited in all, not anew for each piece. */
  private async wait(timeIsUp: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const signal = AbortSignal.any([timeIsUp, AbortSignal.timeout(this.patienceMs)]);
    try {
      await once(this.changes, 'taken', { signal });
    } catch {
      this.keeps = false;
      this.changes.emit('came');
    }
    this.patienceMs = Math.max(0, Math.ceil(this.patienceMs - (performance.now() - startedAt)));
  }
}

const notRead = () =>
  new ServiceError(
    408,
    'answer_not_read',
    'The answer was read too slowly, so the rest of it is left out. It was written and is paid for.',
  );
