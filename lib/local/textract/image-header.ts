export interface ImageHeader {
  format: 'jpeg' | 'png';
  width: number;
  height: number;
}

/** Reads an image's format and size from its first bytes; undefined unless it is a JPEG or PNG. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (view.getUint32(0) === 0x89504e47) {
      return { format: 'png', width: view.getUint32(16), height: view.getUint32(20) };
    }
    return view.getUint16(0) === 0xffd8 ? readJpegHeader(view) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Skips segments up to the one that begins a frame, which holds the size. */
function readJpegHeader(view: DataView): ImageHeader | undefined {
  let at = 2;
  for (;;) {
    const marker = view.getUint16(at);
    if (marker === 0xffff) at += 1;
    else if (isFrame(marker)) {
      return { format: 'jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    } else if (marker <= 0xff00) return undefined;
    else at += 2 + view.getUint16(at + 2);
  }
}

/** Whether a marker is one of SOF0 to SOF15. Three of that range mean something else: DHT, JPG and DAC. */
const isFrame = (marker: number) =>
  marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
