import { PDFiumModule } from '@hyzyla/pdfium';
import type { PdfiumExports, Pointer } from './pdfium-exports.ts';
import type { Box } from './run.ts';

/** PDFium with memory of its own: all that a document took goes back once nobody holds this. */
export class Pdfium {
  readonly exports: PdfiumExports;
  /** Room for the few numbers that a call hands back through pointers. */
  readonly scratch: Pointer;

  static async load(): Promise<Pdfium> {
    const { wasmExports } = await PDFiumModule({});
    return new Pdfium(wasmExports as unknown as PdfiumExports);
  }

  private constructor(exports: PdfiumExports) {
    this.exports = exports;
    exports.FPDF_InitLibrary();
    this.scratch = exports.malloc(64);
  }

  /** Lets `reader` answer FPDF_LoadCustomDocument's questions. */
  setReader(reader: BlockReader): void {
    const read = (_param: number, position: number, buffer: Pointer, length: number) =>
      reader.read(position, this.bytes(buffer, length)) ? 1 : 0;
    const { Instance, Module } = (globalThis as unknown as Global).WebAssembly;
    const { exports } = new Instance(new Module(callbackModule), { js: { read } });
    this.exports.__indirect_function_table.set(readerSlot, exports['read']);
  }

  bytes(pointer: Pointer, length: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, pointer, length);
  }

  zeroed(bytes: number): Pointer {
    const pointer = this.exports.malloc(bytes);
    this.bytes(pointer, bytes).fill(0);
    return pointer;
  }

  /** Writes whole numbers one after the other. */
  write(pointer: Pointer, ...integers: number[]): void {
    new Uint32Array(this.exports.memory.buffer, pointer, integers.length).set(integers);
  }

  /** What of a page is shown, before it is turned. */
  pageBox(page: Pointer): Box {
    this.exports.FPDF_GetPageBoundingBox(page, this.scratch);
    return this.box();
  }

  /** The box that a call has just written to the scratch room. */
  box(): Box {
    const [left = 0, top = 0, right = 0, bottom = 0] = this.floats(4);
    return { left, top, right, bottom };
  }

  /** The numbers that a call has just written to the scratch room. */
  floats(count: number): number[] {
    return [...new Float32Array(this.exports.memory.buffer, this.scratch, count)];
  }

  integers(count: number): number[] {
    return [...new Int32Array(this.exports.memory.buffer, this.scratch, count)];
  }
}

/** Whatever gives PDFium the bytes of a document that it asks for. */
interface BlockReader {
  /** Fills the block from this position on; false if it can't. */
  read(position: number, block: Uint8Array): boolean;
}

/**
 * Where the reader stands among PDFium's functions. Their table can't grow, but the slot of the null
 * pointer is one that nobody calls.
 */
export const readerSlot = 0;

/** Node's types know WebAssembly by halves. */
interface Global {
  WebAssembly: {
    Module: new (bytes: Uint8Array) => object;
    Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
  };
}

/**
 * The table takes functions of WebAssembly alone; this module makes one of JavaScript's:
 * (import "js" "read" (func (param i32 i32 i32 i32) (result i32))) (export "read" (func 0))
 */
const callbackModule = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x09, 0x01, 0x60, 0x04, 0x7f, 0x7f, 0x7f, 0x7f, 0x01, 0x7f],
  ...[0x02, 0x0b, 0x01, 0x02, 0x6a, 0x73, 0x04, 0x72, 0x65, 0x61, 0x64, 0x00, 0x00],
  ...[0x07, 0x08, 0x01, 0x04, 0x72, 0x65, 0x61, 0x64, 0x00, 0x00],
]);
