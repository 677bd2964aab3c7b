import { Inflate } from 'fflate';
import { encryptedDocument, unreadableDocument } from '../errors.ts';
import { entryName } from './entry-name.ts';

const maxEntries = 2_000;
const maxEntryBytes = 50_000_000;
/** What is unpacked of a file, with all archives in it. */
export const maxTotalBytes = 100_000_000;
/** Written documents shrink to a fiftieth at most. An entry that grows by more is made to fill memory. */
const maxRatio = 200;
/** Below this size the ratio doesn't matter: the rows of a small sheet may be all the same. */
const minRatioBytes = 10_000_000;
/** Deflate grows a piece by up to 1,032, so what comes out of one is at most 4 MB. */
const pieceBytes = 4_096;

/** @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
const signatures = {
  entry: 0x02014b50,
  localHeader: 0x04034b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  end64Locator: 0x07064b50,
};
const endBytes = 22;
const maxCommentBytes = 0xffff;
const encryptedFlag = 1;
const stored = 0;
const deflated = 8;
/** A number of this value stands in a field of its own, which is 64 bits wide. */
const in64Bits = 0xffffffff;

/** How much has been unpacked of a file, with all archives in it. */
export interface UnpackedTotal {
  bytes: number;
}

interface Entry {
  method: number;
  packedBytes: number;
  bytes: number;
  offset: number;
  isEncrypted: boolean;
}

/**
 * A ZIP in memory, unpacked piece by piece by its central directory, as Office does. Nothing is written to disk.
 * Throws 422 for one that is cut off, damaged, encrypted or a bomb.
 */
export class Archive {
  private readonly file: Buffer;
  private readonly entries = new Map<string, Entry>();
  private readonly total: UnpackedTotal;

  /** Reads the directory. Archives within an archive share a `total`. */
  constructor(bytes: Uint8Array, total: UnpackedTotal = { bytes: 0 }) {
    this.file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.total = total;
    try {
      this.readDirectory();
    } catch (error) {
      throw isOutOfRange(error) ? damaged(error) : error;
    }
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** Opens an archive that lies in this one. What is unpacked of both counts together. */
  within(bytes: Uint8Array): Archive {
    return new Archive(bytes, this.total);
  }

  /** The names of all entries, in their order. Folders end with a slash. */
  names(): string[] {
    return [...this.entries.keys()];
  }

  /** Returns an entry's bytes. Throws 422 as `chunks` does. */
  read(name: string): Buffer {
    return Buffer.concat([...this.chunks(name)]);
  }

  /** Yields an entry's bytes as they are unpacked. Throws 422 if it is missing, or larger than allowed. */
  *chunks(name: string): Generator<Uint8Array> {
    const entry = this.entries.get(name);
    if (!entry) throw unreadableDocument(`its part ${name} is missing`);
    if (entry.isEncrypted) throw encryptedDocument();
    // An entry's stated size is checked before it is unpacked, and the unpacked bytes are counted.
    this.refuseTooLarge(entry, entry.bytes, entry.bytes);
    let bytes = 0;
    for (const chunk of this.unpack(entry)) {
      bytes += chunk.length;
      this.refuseTooLarge(entry, bytes, chunk.length);
      this.total.bytes += chunk.length;
      yield chunk;
    }
    if (bytes !== entry.bytes) throw damaged();
  }

  private refuseTooLarge({ packedBytes }: Entry, bytes: number, more: number): void {
    const isBomb = bytes > minRatioBytes && bytes > packedBytes * maxRatio;
    const isTooMuch = this.total.bytes + more > maxTotalBytes;
    if (isBomb || isTooMuch || bytes > maxEntryBytes) throw tooLarge();
  }

  private *unpack(entry: Entry): Generator<Uint8Array> {
    const packed = this.packed(entry);
    if (entry.method !== stored && entry.method !== deflated) {
      throw unreadableDocument('it is packed in an unknown way');
    }
    let chunks: Uint8Array[] = [];
    const inflate = new Inflate((chunk) => chunks.push(chunk));
    for (let at = 0; at < packed.length; at += pieceBytes) {
      const piece = packed.subarray(at, at + pieceBytes);
      if (entry.method === stored) chunks.push(piece);
      else push(inflate, piece, at + pieceBytes >= packed.length);
      yield* chunks;
      chunks = [];
    }
  }

  private packed({ offset, packedBytes }: Entry): Buffer {
    const { file } = this;
    try {
      if (file.readUInt32LE(offset) !== signatures.localHeader) throw damaged();
      const start = offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28);
      if (start + packedBytes > file.length) throw damaged();
      return file.subarray(start, start + packedBytes);
    } catch (error) {
      throw isOutOfRange(error) ? damaged(error) : error;
    }
  }

  private readDirectory(): void {
    const { file } = this;
    let { at, count } = this.findDirectory();
    if (count > maxEntries) throw unreadableDocument(`it has more than ${maxEntries} parts`);
    for (; count > 0; count--) {
      if (file.readUInt32LE(at) !== signatures.entry) throw damaged();
      const nameEnd = at + 46 + file.readUInt16LE(at + 28);
      const extraEnd = nameEnd + file.readUInt16LE(at + 30);
      const name = entryName(file.subarray(at + 46, nameEnd));
      if (!isSafe(name)) throw unreadableDocument('a part of it has an unsafe name');
      if (!this.entries.has(name)) this.entries.set(name, this.entryAt(at, nameEnd, extraEnd));
      at = extraEnd + file.readUInt16LE(at + 32);
    }
  }

  /** Returns where the directory begins, and how many entries it has. */
  private findDirectory(): { at: number; count: number } {
    const { file } = this;
    let end = file.length - endBytes;
    const firstEnd = Math.max(0, end - maxCommentBytes);
    while (end >= firstEnd && file.readUInt32LE(end) !== signatures.end) end -= 1;
    if (end < firstEnd) throw unreadableDocument('its end is missing');
    const locator = end - 20;
    if (locator < 0 || file.readUInt32LE(locator) !== signatures.end64Locator) {
      return { at: file.readUInt32LE(end + 16), count: file.readUInt16LE(end + 10) };
    }
    const end64 = Number(file.readBigUInt64LE(locator + 8));
    if (file.readUInt32LE(end64) !== signatures.end64) throw damaged();
    return {
      at: Number(file.readBigUInt64LE(end64 + 48)),
      count: Number(file.readBigUInt64LE(end64 + 32)),
    };
  }

  private entryAt(at: number, nameEnd: number, extraEnd: number): Entry {
    const { file } = this;
    const wide = this.wideNumbers(nameEnd, extraEnd);
    const read = (field: number) => {
      const value = file.readUInt32LE(at + field);
      return value === in64Bits ? (wide.shift() ?? value) : value;
    };
    // The wide numbers stand in this order.
    const bytes = read(24);
    const packedBytes = read(20);
    const offset = read(42);
    const isEncrypted = (file.readUInt16LE(at + 8) & encryptedFlag) !== 0;
    return { method: file.readUInt16LE(at + 10), packedBytes, bytes, offset, isEncrypted };
  }

  /** Returns the numbers of an entry that take 64 bits, from the extra field that holds them. */
  private wideNumbers(start: number, end: number): number[] {
    const { file } = this;
    for (let at = start; at + 4 <= end; ) {
      const [id, bytes] = [file.readUInt16LE(at), file.readUInt16LE(at + 2)];
      if (id === 1) {
        const count = Math.min(3, Math.floor(bytes / 8));
        return Array.from({ length: count }, (_, n) =>
          Number(file.readBigUInt64LE(at + 4 + 8 * n)),
        );
      }
      at += 4 + bytes;
    }
    return [];
  }
}

/** Unpacks a piece. fflate throws errors of its own for what isn't deflated data. */
function push(inflate: Inflate, piece: Uint8Array, isLast: boolean): void {
  try {
    inflate.push(piece, isLast);
  } catch (error) {
    throw damaged(error);
  }
}

/** Whether a name leads to a place within the archive, wherever that would be unpacked. */
const isSafe = (name: string) =>
  !/^\/|^[a-z]:|[\\\0]/i.test(name) && !name.split('/').includes('..');

/** Whether a read went beyond the end of the file. */
const isOutOfRange = (error: unknown) => error instanceof RangeError;

const damaged = (cause?: unknown) => unreadableDocument('it is damaged', cause);
const tooLarge = () => unreadableDocument('it is too large when it is unpacked');
