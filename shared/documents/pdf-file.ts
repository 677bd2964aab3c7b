import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { looksLikeText } from './text.ts';

/**
 * PDFium's parser reads blocks of this size; streams are read in one piece.
 * @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/core/fpdfapi/parser/cpdf_stream.h
 */
const parserBlockBytes = 512;
/** A stream is unpacked no further than this to see whether it is whole. */
const maxUnpackedBytes = 32_000_000;
/** A part of a file that never arrived: compressed data has no such run of zeros. */
const hole = Buffer.alloc(32);

/** A PDF on disk, read in the blocks that PDFium asks for. */
export class PdfFile {
  /** How much was read. PDFium keeps every stream that it has read for as long as the document is open. */
  bytesRead = 0;
  /** How many streams were read that can't be unpacked. PDFium takes them for empty or short. */
  brokenStreams = 0;
  /** How many streams were read that are neither text nor compressed by zlib: pictures, fonts or rubbish. */
  opaqueStreams = 0;
  readonly size: number;
  private readonly fd: number;
  private isOpen = true;

  constructor(path: string) {
    this.fd = openSync(path, 'r');
    this.size = fstatSync(this.fd).size;
  }

  /** Fills a block from this position of the file on; false if the file ends before. */
  read(position: number, block: Uint8Array): boolean {
    const read = readSync(this.fd, block, 0, block.length, position);
    this.bytesRead += read;
    if (block.length !== parserBlockBytes) this.inspect(block);
    return read === block.length;
  }

  /** Whether the file starts as a PDF does. */
  hasHeader(): boolean {
    return this.edge(0).includes('%PDF-');
  }

  /** Whether the file ends as a whole PDF does. */
  hasEnd(): boolean {
    return this.edge(Math.max(0, this.size - 1024)).includes('%%EOF');
  }

  close(): void {
    if (this.isOpen) closeSync(this.fd);
    this.isOpen = false;
  }

  private inspect(stream: Uint8Array): void {
    const start = stream.subarray(0, 1024);
    if (!isZlib(start)) this.opaqueStreams += looksLikeText(start) ? 0 : 1;
    else if (!unpacks(stream)) this.brokenStreams += 1;
  }

  private edge(position: number): Buffer {
    const edge = Buffer.alloc(Math.min(this.size, 1024));
    readSync(this.fd, edge, 0, edge.length, position);
    return edge;
  }
}

/**
 * Whether this starts with zlib's header for deflate, with a window of any size: Distiller writes one of 4 KB.
 * @see https://www.rfc-editor.org/rfc/rfc1950#section-2.2
 */
function isZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x8f) === 8 && (method * 256 + flags) % 31 === 0;
}

/** Whether a stream can be unpacked. It may lack its end or have a wrong checksum, but then no hole. */
function unpacks(stream: Uint8Array): boolean {
  try {
    inflateSync(stream, { maxOutputLength: maxUnpackedBytes });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') return true;
    if (code === 'Z_DATA_ERROR' && message !== 'incorrect data check') return false;
    return !Buffer.from(stream).includes(hole);
  }
}
