import { getHeapStatistics } from 'node:v8';
import { ByteBudget, type Room } from '../../../shared/http/byte-budget.ts';
import type { FunctionHost } from '../lambda/function-host.ts';
import { maxPayloadBytes } from '../lambda/invocation.ts';

/** Bounds the bodies in memory, of each function's invocations together, and of the stage. */
export class BodyRooms {
  private readonly own = ByteBudget.ofMemory(getHeapStatistics().heap_size_limit);
  private readonly ofFunctions = new Map<FunctionHost, ByteBudget>();

  /**
   * Waits until there is room for a body before it is read, and opens it. One of a length that isn't told may have as much as
   * a function takes. Throws `NoRoomError`.
   */
  async open(fn: FunctionHost, key: string, length = maxPayloadBytes): Promise<BodyRoom> {
    const budget = this.ofFunctions.get(fn) ?? ByteBudget.ofMemory(fn.config.memoryMb * 2 ** 20);
    this.ofFunctions.set(fn, budget);
    const opened = new BodyRoom([budget.room(key), this.own.room(key)]);
    try {
      await opened.take(length);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }
}

/** What a request's body holds. */
export class BodyRoom {
  private readonly rooms: readonly Room[];

  constructor(rooms: readonly Room[]) {
    this.rooms = rooms;
  }

  async take(bytes: number): Promise<void> {
    for (const room of this.rooms) await room.take(bytes);
  }

  /** Gives back what the body doesn't have. */
  keep(bytes: number): void {
    for (const room of this.rooms) room.keep(bytes);
  }

  close(): void {
    for (const room of this.rooms) room[Symbol.dispose]();
  }
}
