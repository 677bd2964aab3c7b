/** The root of a page, after a declaration and comments. Anything less may be a text about pages. */
const htmlStart =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html)\b/i;
/** A line that a mailbox file puts above a message, then header fields with their continuation lines. */
const headerBlock = /^(?:From [^\n]*\n)?((?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+)/;
/** What a program has put on a message's way. A note that begins with `From:` and `To:` has none of these. */
const transportField = /^(?:received|return-path|delivered-to|message-id|mime-version):/im;

/** Returns the media type of a text that is told by how it begins; undefined for any other text. */
export function textTypeOf(firstBytes: Uint8Array): string | undefined {
  const start = Buffer.from(firstBytes.subarray(0, 4_096))
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
  if (htmlStart.test(start)) return 'text/html';
  const fields = start.replaceAll('\r\n', '\n').match(headerBlock)?.[1] ?? '';
  return /^from:/im.test(fields) && transportField.test(fields) ? 'message/rfc822' : undefined;
}
