/** Returns how many times its width a JPEG is high; undefined if its header doesn't say. @see https://www.w3.org/Graphics/JPEG/itu-t81.pdf */
export function heightToWidth(jpeg: Uint8Array): number | undefined {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  for (let at = 2; at + 9 <= jpeg.length; ) {
    const marker = view.getUint16(at);
    if (startsFrame(marker)) return shapeOf(view.getUint16(at + 5), view.getUint16(at + 7));
    if (marker < 0xff01) return undefined;
    at += marker === 0xffff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

const shapeOf = (height: number, width: number) =>
  height > 0 && width > 0 ? height / width : undefined;

/** Whether a marker is one of SOF0 to SOF15. Three in their range mean something else: DHT, JPG and DAC. */
const startsFrame = (marker: number) =>
  marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
