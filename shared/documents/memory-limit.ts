/**
 * The memory that the WebAssembly of a process may take in all: the limit of its heap doesn't count it. What is
 * taken isn't given back while the process lives, since nobody knows when the engine frees it.
 */
export class MemoryLimit {
  /** Whether more was asked for than there is. */
  isUsedUp = false;
  readonly maxBytes: number;
  private takenBytes = 0;
  private mostBytes = 0;

  constructor(maxMb: number) {
    this.maxBytes = maxMb * 1024 * 1024;
  }

  /**
   * Whether the next document may find too little: half of it is taken, or an eighth was in use at once, since what
   * an engine frees is in pieces that a large picture doesn't fit in.
   */
  get isWornOut(): boolean {
    return this.takenBytes > this.maxBytes / 2 || this.mostBytes > this.maxBytes / 8;
  }

  /** Notes how much memory an engine uses at once. */
  use(bytes: number): void {
    this.mostBytes = Math.max(this.mostBytes, bytes);
  }

  /** Takes memory; returns false if there is too little. */
  take(bytes: number): boolean {
    const fits = this.takenBytes + bytes <= this.maxBytes;
    if (fits) this.takenBytes += bytes;
    else this.isUsedUp = true;
    return fits;
  }
}

/** A memory of WebAssembly, in pages of 64 KB. */
export interface WasmMemory {
  readonly buffer: { readonly byteLength: number };
  grow(pages: number): number;
}

export const pageBytes = 65_536;

/** The size of a memory, in pages. */
export interface MemorySize {
  initial: number;
  maximum: number;
  shared: boolean;
}

/** The part of WebAssembly that Node's types leave out. */
export const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Memory: new (size: MemorySize) => WasmMemory;
    Module: new (bytes: Uint8Array) => object;
    Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
  };
};

/** Has a memory ask before it grows. An allocator takes a refusal for the end of all memory. */
export function limitGrowth(memory: WasmMemory, limit: MemoryLimit): void {
  const grow = memory.grow.bind(memory);
  limit.take(memory.buffer.byteLength);
  memory.grow = (pages) => {
    if (!limit.take(pages * pageBytes)) throw new RangeError('There is no more memory');
    return grow(pages);
  };
}
