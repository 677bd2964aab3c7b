/** Text in the encoding it has: what its byte order mark says, else UTF-8, else windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  if (startsWith(bytes, [0xff, 0xfe])) return new TextDecoder('utf-16le').decode(bytes);
  if (startsWith(bytes, [0xfe, 0xff])) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Whether bytes read as text: no NUL, and hardly a control character but white space. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff])) return true;
  const controls = bytes.filter((byte) => byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d));
  return !controls.includes(0) && controls.length <= bytes.length / 200;
}

/** Whether `bytes` has `start` in it from `offset` on. */
export function startsWith(bytes: Uint8Array, start: readonly number[], offset = 0): boolean {
  return start.every((byte, index) => bytes[offset + index] === byte);
}
