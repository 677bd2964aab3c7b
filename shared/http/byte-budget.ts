import { getHeapStatistics } from 'node:v8';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { functionMemoryBytes } from '../config.ts';
import { copies, memoryShare } from './bounds.ts';
import { ServiceError } from './errors.ts';

/** 503: what a request would take into memory finds no room in time. */
export class NoRoomError extends ServiceError {
  constructor() {
    const message =
      'As many large requests are under way as there is memory for. Try again shortly.';
    super(503, 'overloaded', message, { retryAfterSeconds: 5 });
  }
}

/**
 * How full a budget may be after a take of each kind. New requests leave room for the answers of those under way, and these for
 * one that is as large as can be, with some for small takes: so it can always be read to its end, and then gives its room
 * back. Small takes have the rest, so that no small call waits for large ones.
 */
const ceilings = { new: 0.6, answer: 0.65, largeAnswer: 0.95, small: 1 };

type Kind = keyof typeof ceilings;

/** The largest share of a large answer. */
const largeAnswerShare = 1 / 4;

/** A new take of no more than this share of a budget is small. */
const smallShare = 1 / 512;

/** The share that the rooms of a key may hold together. A single room may hold more. */
const keyShare = 1 / 2;

const usualWaitMs = 10_000;

interface TakeOptions {
  kind?: Exclude<Kind, 'small'>;
  /** How long it waits, unless `signal` aborts before; for ever if null. */
  waitMs?: number | null;
  signal?: AbortSignal | undefined;
}

interface Take {
  room: Room;
  bytes: number;
  kind: Kind;
  /** Its place among others. */
  tag: number;
  enter: () => void;
}

/** What a key holds in all of its open rooms, and the tag of its last take. */
interface KeyUse {
  key: string;
  rooms: number;
  held: number;
  tag: number;
}

/**
 * Bounds the bytes that are in memory at once. Who finds no room waits, in an order that is fair by key: a key is let in
 * again after others have taken as much as it has.
 *
 * @see https://en.wikipedia.org/wiki/Fair_queuing
 */
export class ByteBudget {
  readonly totalBytes: number;
  usedBytes = 0;
  /** The tag of the take that was let in last. */
  private clock = 0;
  private readonly keys = new Map<string, KeyUse>();
  private waiting: Take[] = [];

  constructor(totalBytes: number) {
    this.totalBytes = totalBytes;
  }

  /** Makes the budget of a process with the given memory. A byte of a budget stands for all of its copies. */
  static ofMemory(bytes: number): ByteBudget {
    return new ByteBudget(Math.floor((bytes * memoryShare) / copies));
  }

  /** How many takes wait. */
  get waitingTakes(): number {
    return this.waiting.length;
  }

  /** Opens an empty room for something of a key's. Whoever opens it closes it. */
  room(key: string): Room {
    const use = this.keys.get(key) ?? { key, rooms: 0, held: 0, tag: 0 };
    this.keys.set(key, use);
    use.rooms += 1;
    return new Room(this, use);
  }

  /** Opens a room and takes the given bytes. Throws as `take` does, and closes the room then. */
  async open(key: string, bytes: number, options?: TakeOptions): Promise<Room> {
    const room = this.room(key);
    try {
      await room.take(bytes, options);
      return room;
    } catch (error) {
      room[Symbol.dispose]();
      throw error;
    }
  }

  /** Takes bytes for a room if there is room for them now. Returns the take, and whether it was let in. */
  enter(room: Room, bytes: number, kind: Kind): { take: Take; isIn: boolean } {
    const take = this.takeOf(room, bytes, kind);
    const comesAfter = (each: Take) => each.kind === take.kind && !this.isBeyondShare(each);
    const isIn = this.fits(take) && !this.isBeyondShare(take) && !this.waiting.some(comesAfter);
    if (isIn) this.letIn(take);
    return { take, isIn };
  }

  /** Has a take wait for its turn. */
  async wait(take: Take, waitMs: number | null, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (reason: unknown) => {
      this.waiting = this.waiting.filter((each) => each !== take);
      reject(reason);
      this.admit();
    };
    const abort = () => leave(signal?.reason);
    const timer = waitMs === null ? undefined : setTimeout(() => leave(new NoRoomError()), waitMs);
    signal?.addEventListener('abort', abort);
    take.enter = resolve;
    take.room.use.tag = Math.max(take.room.use.tag, take.tag);
    this.waiting = [...this.waiting, take].sort((a, b) => a.tag - b.tag);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Takes bytes back from a room of a key's. */
  takeBack(use: KeyUse, bytes: number): void {
    this.usedBytes -= bytes;
    use.held -= bytes;
    this.admit();
  }

  /** Told that a room of a key's is closed. */
  forget(use: KeyUse): void {
    use.rooms -= 1;
    if (use.rooms === 0) this.keys.delete(use.key);
  }

  private takeOf(room: Room, bytes: number, kind: Kind): Take {
    const isNew = kind === 'new';
    const share = kind === 'largeAnswer' ? largeAnswerShare : ceilings[kind];
    const most = Math.max(0, Math.floor(share * this.totalBytes) - (isNew ? room.heldBytes : 0));
    const fitting = Math.min(bytes, most);
    // An answer was paid for, and with it ends what its call holds.
    const begin = isNew ? Math.max(this.clock, room.use.tag) : this.clock;
    const isSmall = isNew && bytes <= this.totalBytes * smallShare;
    const take = { room, bytes: fitting, kind: isSmall ? ('small' as const) : kind };
    return { ...take, tag: begin + fitting, enter: () => {} };
  }

  private fits({ bytes, kind }: Take): boolean {
    return this.usedBytes + bytes <= this.totalBytes * ceilings[kind];
  }

  /** Whether a key has to end something of its own first. */
  private isBeyondShare({ room: { use, heldBytes }, bytes, kind }: Take): boolean {
    const isAnswer = kind === 'answer' || kind === 'largeAnswer';
    return !isAnswer && use.held > heldBytes && use.held + bytes > this.totalBytes * keyShare;
  }

  private letIn({ room, bytes, tag, enter }: Take): void {
    enter();
    // The user of the room may have closed it meanwhile.
    if (room.isClosed) return;
    const { use } = room;
    use.tag = Math.max(use.tag, tag);
    this.clock = Math.max(this.clock, tag);
    use.held += bytes;
    this.usedBytes += bytes;
    room.heldBytes += bytes;
  }

  /** Lets waiting requests in: of each kind in order, except requests that wait for their own key. */
  private admit(): void {
    const full = new Set<Kind>();
    this.waiting = this.waiting.filter((take) => {
      if (full.has(take.kind) || this.isBeyondShare(take)) return true;
      if (this.fits(take)) this.letIn(take);
      else full.add(take.kind);
      return full.has(take.kind);
    });
  }
}

/** What a request, a call or a page holds of a budget. All of it is given back, once, as it is closed. */
export class Room implements Disposable {
  readonly use: KeyUse;
  heldBytes = 0;
  isClosed = false;
  private readonly budget: ByteBudget;

  constructor(budget: ByteBudget, use: KeyUse) {
    this.budget = budget;
    this.use = use;
  }

  /**
   * Takes these bytes, or the most there can be if that is less, and returns their number. Throws `NoRoomError` if they find
   * no room in time, and the reason of `signal`.
   */
  async take(
    bytes: number,
    { kind = 'new', waitMs = usualWaitMs, signal }: TakeOptions = {},
  ): Promise<number> {
    if (!(bytes > 0)) return 0;
    const { take, isIn } = this.budget.enter(this, bytes, kind);
    if (!isIn) await this.budget.wait(take, waitMs, signal);
    return take.bytes;
  }

  /** Takes bytes if there is room for them now. */
  tryTake(bytes: number): boolean {
    return this.budget.enter(this, bytes, 'new').isIn;
  }

  /** Gives back some of what it holds. */
  give(bytes: number): void {
    const given = Math.min(bytes, this.heldBytes);
    this.heldBytes -= given;
    this.budget.takeBack(this.use, given);
  }

  /** Gives back all bytes beyond the given number. */
  keep(bytes: number): void {
    this.give(Math.max(0, this.heldBytes - bytes));
  }

  [Symbol.dispose](): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.budget.forget(this.use);
    this.keep(0);
  }
}

let own: ByteBudget | undefined;

/** The budget of this process: of its function's memory, or of its heap where that is less. */
export function memory(): ByteBudget {
  own ??= ByteBudget.ofMemory(Math.min(getHeapStatistics().heap_size_limit, functionMemoryBytes()));
  return own;
}

/** Opens a request's room, and takes its body into it. Throws `NoRoomError`. */
export function roomFor({ body, requestContext }: APIGatewayProxyEvent): Promise<Room> {
  const { keyId } = requestContext.authorizer ?? {};
  return memory().open(typeof keyId === 'string' ? keyId : '', body?.length ?? 0);
}
