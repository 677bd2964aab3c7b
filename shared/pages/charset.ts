import { decodeText } from '../documents/text.ts';

/** HTML says its charset within its first 1024 bytes. */
const maxPrescanBytes = 1024;
/** A page with more wrong letters than this, of all beyond ASCII, isn't written in the charset it declares. */
const maxWrongShare = 0.1;

/** Decodes a page by its byte order mark, its declared charset, or what the bytes look like. @see https://encoding.spec.whatwg.org/#decode */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const marked = /^(\xef\xbb\xbf|\xfe\xff|\xff\xfe)/.test(latin1(bytes.subarray(0, 3)));
  if (marked) return decodeText(bytes);
  for (const label of [charsetIn(contentType), metaCharset(bytes)]) {
    const text = label && decodeAs(label, bytes);
    if (text && isRight(text)) return text;
  }
  return decodeText(bytes);
}

const charsetIn = (text: string) => /charset\s*=\s*["']?([\w:.-]+)/i.exec(text)?.[1];

/** A meta tag that can be read as ASCII is not in UTF-16, whatever it says. */
function metaCharset(bytes: Uint8Array): string | undefined {
  const [tag = ''] =
    /<meta\s[^<>]*charset[^>]*/i.exec(latin1(bytes.subarray(0, maxPrescanBytes))) ?? [];
  return charsetIn(tag)?.replace(/^utf-16.*/i, 'utf-8');
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

function decodeAs(label: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    // There is no such charset.
    return undefined;
  }
}

function isRight(text: string): boolean {
  const wrong = text.match(/\ufffd/g)?.length ?? 0;
  return wrong === 0 || wrong <= maxWrongShare * (text.match(/[^\0-\x7f]/g)?.length ?? 0);
}
