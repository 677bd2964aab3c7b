import { getHeapStatistics } from 'node:v8';
import { ByteBudget } from '../../../shared/http/byte-budget.ts';
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
  async open(fn: FunctionHost, key: string, length = maxPayloadBytes) {
    const budget = this.ofFunctions.get(fn) ?? ByteBudget.ofMemory(fn.config.memoryMb * 2 ** 20);
    this.ofFunctions.set(fn, budget);
    const rooms = [budget.room(key), this.own.room(key)];
    const close = () => {
      for (const room of rooms) room[Symbol.dispose]();
    };
    try {
      for (const room of rooms) await room.take(length);
    } catch (error) {
      close();
      throw error;
    }
    return {
      close,
      /** Gives back what the body doesn't have. */
      keep(bytes: number): void {
        for (const room of rooms) room.keep(bytes);
      },
    };
  }
}

/** What a request's body holds. */
export type BodyRoom = Awaited<ReturnType<BodyRooms['open']>>;
