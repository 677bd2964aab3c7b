import { PDFiumModule } from '@hyzyla/pdfium';
import type { Box } from './box.ts';
import { limitGrowth, type MemoryLimit, WebAssembly } from './memory-limit.ts';
import type { PdfiumExports, Pointer } from './pdfium-exports.ts';

/** PDFium with memory of its own, which is given back as a whole once nothing refers to this. */
export class Pdfium {
  readonly exports: PdfiumExports;
  /** Memory for the few numbers that a call returns through pointers: 64 bytes. */
  readonly scratch: Pointer;
  /** The places of four numbers there. */
  readonly four: [Pointer, Pointer, Pointer, Pointer];
  /** The readers of open documents, by the numbers that PDFium knows them by. */
  private readonly readers = new Map<number, BlockReader>();
  private lastReader = 0;

  /** Loads PDFium, whose memory grows no further than `limit` lets it. */
  static async load(limit: MemoryLimit): Promise<Pdfium> {
    const { wasmExports } = await PDFiumModule(silent());
    const exports = wasmExports as unknown as PdfiumExports;
    limitGrowth(exports.memory, limit);
    return new Pdfium(exports);
  }

  private constructor(exports: PdfiumExports) {
    this.exports = exports;
    exports.FPDF_InitLibrary();
    const scratch = exports.malloc(64);
    this.scratch = scratch;
    this.four = [scratch, scratch + 4, scratch + 8, scratch + 12];
    const read = (reader: number, position: number, buffer: Pointer, length: number) =>
      this.readers.get(reader)?.read(position, this.bytes(buffer, length)) ? 1 : 0;
    const callback = new WebAssembly.Instance(new WebAssembly.Module(callbackModule), {
      js: { read },
    });
    exports.__indirect_function_table.set(readerSlot, callback.exports['read']);
  }

  /**
   * Has PDFium ask `reader` for a document's blocks. Returns FPDF_FILEACCESS's parameter, to be used with
   * `readerSlot`.
   * @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdfview.h
   */
  addReader(reader: BlockReader): number {
    this.lastReader += 1;
    this.readers.set(this.lastReader, reader);
    return this.lastReader;
  }

  /** Forgets a reader whose document is closed. */
  removeReader(number: number): void {
    this.readers.delete(number);
  }

  /** A view of PDFium's memory: it is void once a later call has made the memory grow. */
  bytes(pointer: Pointer, length: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, pointer, length);
  }

  /** Takes memory that is all zeros. */
  zeroed(bytes: number): Pointer {
    const pointer = this.exports.malloc(bytes);
    this.bytes(pointer, bytes).fill(0);
    return pointer;
  }

  /** Writes integers of 32 bits one after the other. */
  write(pointer: Pointer, ...integers: number[]): void {
    new Uint32Array(this.exports.memory.buffer, pointer, integers.length).set(integers);
  }

  /** The part of a page that is shown, before it is turned. */
  pageBox(page: Pointer): Box {
    this.exports.FPDF_GetPageBoundingBox(page, this.scratch);
    return this.box();
  }

  /** The memory, which moves as it grows. */
  private view = new Float32Array();

  /**
   * The box that a call has just written to the scratch memory. Up is more in PDFium's FS_RECTF, down in a
   * Box.
   * @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdfview.h
   */
  box(): Box {
    const { buffer } = this.exports.memory;
    if (this.view.buffer !== buffer) this.view = new Float32Array(buffer);
    const at = (index: number) => this.view[this.scratch / 4 + index] as number;
    return { left: at(0), top: -at(1), right: at(2), bottom: -at(3) };
  }

  /** The floats that a call has just written to the scratch memory. */
  floats(count: number): number[] {
    return [...new Float32Array(this.exports.memory.buffer, this.scratch, count)];
  }

  /** The integers that a call has just written to the scratch memory. */
  integers(count: number): number[] {
    return [...new Int32Array(this.exports.memory.buffer, this.scratch, count)];
  }
}

/** Silences what its exceptions print. The package's types lack the option; an object serves for one load. */
const silent = (): object => ({ printErr: () => {} });

/** A document that PDFium reads in blocks. */
interface BlockReader {
  /** Fills the block from this position on; false if it can't. */
  read(position: number, block: Uint8Array): boolean;
}

/** The reader's slot in PDFium's table, which can't grow; slot 0 is the null pointer, which is never called. */
export const readerSlot = 0;

/** A module that makes a WebAssembly function of a JavaScript one: (import "js" "read" (func …)) (export "read" (func 0)) */
const callbackModule = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x09, 0x01, 0x60, 0x04, 0x7f, 0x7f, 0x7f, 0x7f, 0x01, 0x7f],
  ...[0x02, 0x0b, 0x01, 0x02, 0x6a, 0x73, 0x04, 0x72, 0x65, 0x61, 0x64, 0x00, 0x00],
  ...[0x07, 0x08, 0x01, 0x04, 0x72, 0x65, 0x61, 0x64, 0x00, 0x00],
]);
