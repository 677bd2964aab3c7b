import { isUtf8 } from 'node:buffer';

/** The characters of bytes from 128 in code page 437. */
const upperHalf =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/**
 * Returns the name of an archive's entry. One that is no UTF-8 is read in the standard's code page, which keeps names
 * different. A backslash after a byte from 128 is half a character in Asian code pages, and no separator.
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (appendix D)
 */
export function entryName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  return bytes
    .toString('latin1')
    .replaceAll(/([\x80-\xff])\\/g, '$1_')
    .replaceAll(/[\x80-\xff]/g, (byte) => upperHalf[byte.charCodeAt(0) - 128] ?? '');
}
