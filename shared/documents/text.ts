const [esc, bell] = ['\x1b', '\x07'];

/**
 * What is written to a terminal beside text: colours, links, commands of a few characters. None reaches over the next
 * one's beginning, so that reading stays linear.
 *
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-48/
 */
const escapeSequence = new RegExp(
  `${esc}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${esc}${bell}]*(?:${bell}|${esc}\\\\)|[ -/]+[0-~]|[0-Z\\\\^_c])?`,
  'g',
);

/**
 * Decodes text by its byte order mark; without one as UTF-8, which may have a character cut in two here and there, or
 * else in the encoding that it names, which is windows-1252 where it names none that is known. Escape sequences of
 * terminals are left out.
 */
export function decodeText(bytes: Uint8Array, encoding?: string): string {
  return decode(bytes, encoding).replace(escapeSequence, '');
}

function decode(bytes: Uint8Array, encoding = 'windows-1252'): string {
  if (startsWith(bytes, [0xff, 0xfe])) return new TextDecoder('utf-16le').decode(bytes);
  if (startsWith(bytes, [0xfe, 0xff])) return new TextDecoder('utf-16be').decode(bytes);
  if (isIso2022Jp(bytes)) return new TextDecoder('iso-2022-jp').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return mostlyUtf8(bytes) ?? decoderFor(encoding).decode(bytes);
  }
}

/** Returns text as UTF-8 if it has the mark of that, or at most one broken character for ten whole ones beyond ASCII. */
function mostlyUtf8(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8').decode(bytes);
  let [whole, broken] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code >= 0x80) whole += 1;
  }
  const isMarked = startsWith(bytes, [0xef, 0xbb, 0xbf]);
  return isMarked || whole >= 10 * broken ? text : undefined;
}

/** Whether bytes switch to Japanese characters and back by escape sequences, in seven bits, as older mail does. */
function isIso2022Jp(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const switches = buffer.includes(`${esc}$B`) || buffer.includes(`${esc}$@`);
  return switches && buffer.every((byte) => byte < 0x80);
}

function decoderFor(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder('windows-1252');
  }
}

/** Whether bytes look like text: UTF-16 by their mark, or no NUL and few control characters but space and escape. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff])) return true;
  const isControl = (byte: number) => byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d);
  const controls = bytes.filter((byte) => isControl(byte) && byte !== 0x1b);
  return !controls.includes(0) && controls.length <= bytes.length / 200;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
