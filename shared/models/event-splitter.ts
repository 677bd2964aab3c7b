/**
 * Cuts a server-sent event stream at its events' borders without looking into them: `push` answers the
 * whole events that have come so far, `rest` what is left over at the end.
 */
export class EventSplitter {
  private pending: Buffer = Buffer.alloc(0);

  push(chunk: Uint8Array): Buffer {
    const bytes =
      this.pending.length > 0
        ? Buffer.concat([this.pending, chunk])
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const border = lastBorder(bytes);
    this.pending = bytes.subarray(border);
    return bytes.subarray(0, border);
  }

  rest(): Buffer {
    return this.pending;
  }
}

/** Where the last blank line ends, whichever way lines end. */
function lastBorder(bytes: Buffer): number {
  const borders = [endAfter(bytes, '\n\n'), endAfter(bytes, '\r\n\r\n'), endAfter(bytes, '\r\r')];
  return Math.max(...borders);
}

function endAfter(bytes: Buffer, border: string): number {
  const at = bytes.lastIndexOf(border);
  return at < 0 ? 0 : at + border.length;
}

/** The events in a piece of a stream, each with its border. */
export const eventsIn = (text: string) => text.split(/(?<=\n\n|\r\n\r\n|\r\r)/);

/** An event's data; undefined for comments and other fields. */
export function dataOf(event: string): string | undefined {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  return lines.length > 0 ? lines.map((line) => line.slice(5).trimStart()).join('\n') : undefined;
}
