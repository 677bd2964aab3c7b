import { decodedAs, decodeUtf32, guessEncoding, wideEncodingOf } from './encoding.ts';
import type { WarnedText, Warning } from './warnings.ts';

const utf8Mark = [0xef, 0xbb, 0xbf];
const [esc, bell] = ['\x1b', '\x07'];

/**
 * Terminals' escape sequences: colours, links, short commands. None reaches over the next one, so that reading is
 * linear.
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-48/
 */
const escapeSequence = new RegExp(
  `${esc}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${esc}${bell}]*(?:${bell}|${esc}\\\\)|[ -/]+[0-~]|[0-Z\\\\^_c])?`,
  'g',
);

/** How an XML file names its encoding. */
const xmlEncoding = /^<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.:-]+)/;

/**
 * Decodes text by its byte order mark or NULs; else as UTF-8, even with a cut character; else as it names, unless that
 * breaks its letters; else by a guess, which `warned` is told of. Terminals' escape sequences go.
 */
export function decodeText(
  bytes: Uint8Array,
  encoding?: string,
  warned = new Set<Warning>(),
): string {
  return decode(bytes, encoding, warned).toWellFormed().replace(escapeSequence, '');
}

/** Decodes the bytes of a text file. */
export function readText(bytes: Uint8Array): WarnedText {
  const warned = new Set<Warning>();
  return { text: decodeText(bytes, undefined, warned), warnings: [...warned] };
}

function decode(bytes: Uint8Array, encoding: string | undefined, warned: Set<Warning>): string {
  const wide = wideEncodingOf(bytes);
  if (wide?.startsWith('utf-32')) return decodeUtf32(bytes, wide === 'utf-32le');
  if (wide) return new TextDecoder(wide).decode(bytes);
  if (isIso2022Jp(bytes)) return new TextDecoder('iso-2022-jp').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const utf8 = new TextDecoder('utf-8').decode(bytes);
    const isMarked = utf8Mark.every((byte, at) => bytes[at] === byte);
    if (isMarked || isMostlyWhole(utf8)) return utf8;
    const name = encoding ?? utf8.slice(0, 200).match(xmlEncoding)?.[1];
    const named = name && decodedAs(name, bytes);
    if (named && isMostlyWhole(named)) return named;
    warned.add('encoding_guessed');
    return new TextDecoder(guessEncoding(bytes)).decode(bytes);
  }
}

/** Whether a text has at most one broken character for ten whole ones beyond ASCII. */
function isMostlyWhole(text: string): boolean {
  let [whole, broken] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code >= 0x80) whole += 1;
  }
  return whole >= 10 * broken;
}

/** Whether bytes switch to Japanese characters and back by escape sequences, in seven bits, as older mail does. */
function isIso2022Jp(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const switches = buffer.includes(`${esc}$B`) || buffer.includes(`${esc}$@`);
  return switches && buffer.every((byte) => byte < 0x80);
}

/** Whether bytes look like text: UTF-16 or UTF-32, or no NUL and few control characters but space and escape. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (wideEncodingOf(bytes)) return true;
  const isControl = (byte: number) => byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d);
  const controls = bytes.filter((byte) => isControl(byte) && byte !== 0x1b);
  return !controls.includes(0) && controls.length <= bytes.length / 200;
}
