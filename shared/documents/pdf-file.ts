import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { looksLikeText } from './text.ts';

/** PDFium reads what isn't a stream in pieces of this size. */
const parserBlock = 512;
const unpackedBytes = 100_000_000;
/** Part of a file that never arrived; packed data has no such run of zeros. */
const hole = Buffer.alloc(32);

/** A PDF on disk, read in the blocks that PDFium asks for. */
export class PdfFile {
  /** PDFium keeps every stream that it has read for as long as the document is open. */
  bytesRead = 0;
  /** Streams that came by and can't be unpacked; PDFium takes them for empty or short. */
  brokenStreams = 0;
  /** Streams that are neither text nor packed as text is: pictures, fonts, or rubbish. */
  opaqueStreams = 0;
  readonly size: number;
  private readonly fd: number;
  private isOpen = true;

  constructor(path: string) {
    this.fd = openSync(path, 'r');
    this.size = fstatSync(this.fd).size;
  }

  read(position: number, block: Uint8Array): boolean {
    const read = readSync(this.fd, block, 0, block.length, position);
    this.bytesRead += read;
    if (block.length !== parserBlock) this.inspect(block);
    return read === block.length;
  }

  /** Whether it starts as a PDF does. */
  hasHeader(): boolean {
    return this.edge(0).includes('%PDF-');
  }

  /** Whether it ends as a whole PDF does. */
  hasEnd(): boolean {
    return this.edge(Math.max(0, this.size - 1024)).includes('%%EOF');
  }

  close(): void {
    if (this.isOpen) closeSync(this.fd);
    this.isOpen = false;
  }

  private inspect(stream: Uint8Array): void {
    const start = stream.subarray(0, 1024);
    if (!isPacked(start)) this.opaqueStreams += looksLikeText(start) ? 0 : 1;
    else if (!unpacks(stream)) this.brokenStreams += 1;
  }

  private edge(position: number): Buffer {
    const edge = Buffer.alloc(Math.min(this.size, 1024));
    readSync(this.fd, edge, 0, edge.length, position);
    return edge;
  }
}

/** Whether this starts as zlib's streams do. */
function isPacked([method = 0, flags = 0]: Uint8Array): boolean {
  return method === 0x78 && (method * 256 + flags) % 31 === 0;
}

/** A missing end or a wrong checksum alone harms nobody; together with a hole in the file it does. */
function unpacks(stream: Uint8Array): boolean {
  try {
    inflateSync(stream, { maxOutputLength: unpackedBytes });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_DATA_ERROR' && message !== 'incorrect data check') return false;
    return !Buffer.from(stream).includes(hole);
  }
}
