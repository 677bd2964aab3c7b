/**
 * Cuts a stream of server-sent events where events end, so that each piece holds whole events.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventSplitter {
  private buffer = Buffer.alloc(0);
  /** The bytes so far of the event that has not ended. */
  pendingBytes = 0;

  /** Takes the next bytes of the stream. Returns the whole events that they complete, which may be none. */
  push(chunk: Uint8Array): Buffer {
    // A border may have begun before. What came earlier is not searched again: an event may have megabytes.
    const searched = Math.max(0, this.pendingBytes - longestBorder + 1);
    const bytes =
      this.pendingBytes > 0
        ? this.append(chunk)
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const border = lastBorder(bytes.subarray(searched));
    if (border === 0 && this.pendingBytes > 0) return bytes.subarray(0, 0);
    const end = searched + border;
    this.buffer = Buffer.alloc(0);
    this.pendingBytes = 0;
    this.append(bytes.subarray(end));
    return bytes.subarray(0, end);
  }

  /** Returns what is left at the end of the stream: an event without the blank line that ends it. */
  rest(): Buffer {
    return this.buffer.subarray(0, this.pendingBytes);
  }

  private append(bytes: Uint8Array): Buffer {
    const length = this.pendingBytes + bytes.length;
    if (length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.buffer.length));
      larger.set(this.rest());
      this.buffer = larger;
    }
    this.buffer.set(bytes, this.pendingBytes);
    this.pendingBytes = length;
    return this.rest();
  }
}

const longestBorder = '\r\n\r\n'.length;

/** The offset at which the last blank line ends; 0 if there is none. Lines end in LF, CR LF or CR. */
function lastBorder(bytes: Buffer): number {
  const borders = [endAfter(bytes, '\n\n'), endAfter(bytes, '\r\n\r\n'), endAfter(bytes, '\r\r')];
  return Math.max(...borders);
}

function endAfter(bytes: Buffer, border: string): number {
  const at = bytes.lastIndexOf(border);
  return at < 0 ? 0 : at + border.length;
}

/** Splits a piece of a stream into its events, each with the blank line that ends it. */
export function eventsIn(text: string): string[] {
  const events: string[] = [];
  let start = 0;
  for (const { 0: border, index } of text.matchAll(/\n\n|\r\n\r\n|\r\r/g)) {
    const end = index + border.length;
    events.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) events.push(text.slice(start));
  return events;
}

/** Reads an event's data; undefined for an event that has only comments or other fields. */
export function dataOf(event: string): string | undefined {
  const lines = event.split(/[\r\n]+/).filter((line) => line.startsWith('data:'));
  return lines.length > 0 ? lines.map((line) => line.slice(5).trimStart()).join('\n') : undefined;
}
