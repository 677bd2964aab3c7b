import { format, getFormatFromId, getFormatInfo } from 'numfmt';
import type { Archive } from './archive.ts';
import { attribute, readPart } from './xml.ts';

/** The days from the epoch of most workbooks to the other one, which old ones from Macintosh have. */
const daysTo1904 = 1_462;
/** The last day of the year 9999. */
const maxDays = 2_958_465;
/** The first number of the formats that a file defines itself. */
const firstOwnFormat = 164;
/** A longer format is no format of a person. */
const maxFormatCharacters = 255;

/** How a style shows a number: as a date, a duration, or by a format code such as `0.0%`. */
export type NumberStyle = 'date' | 'duration' | { code: string };

/** Reads the styles of a workbook's cells. A style that shows a number as it is is left out. */
export function readNumberStyles(archive: Archive, part: string): ReadonlyMap<number, NumberStyle> {
  const codes = new Map<number, string>();
  const styles = new Map<number, NumberStyle>();
  let isCellFormat = false;
  let count = 0;
  readPart(archive, part, {
    root: 'styleSheet',
    open: (name, attributes) => {
      const id = Number(attribute(attributes, 'numFmtId'));
      if (name === 'cellXfs') isCellFormat = true;
      else if (name === 'numFmt') codes.set(id, attribute(attributes, 'formatCode') ?? '');
      else if (name === 'xf' && isCellFormat) {
        const builtIn = id < firstOwnFormat ? getFormatFromId(id) : undefined;
        const style = styleOf(codes.get(id) ?? builtIn ?? '');
        if (style) styles.set(count, style);
        count += 1;
      }
    },
    close: (name) => {
      if (name === 'cellXfs') isCellFormat = false;
    },
  });
  return styles;
}

/** Returns how a format code shows a number; undefined if as it is, or if the code is none. */
function styleOf(code: string): NumberStyle | undefined {
  if (code === '' || /^general$/i.test(code) || code.length > maxFormatCharacters) return undefined;
  try {
    const { isDate, isText } = getFormatInfo(code);
    if (isText) return undefined;
    if (!isDate) return { code };
    return /\[[hms]+\]/i.test(code) ? 'duration' : 'date';
  } catch {
    return undefined;
  }
}

/** Returns a number as a cell shows it: by its style, and without the noise of binary fractions. */
export function numberText(
  value: string,
  style: NumberStyle | undefined,
  from1904: boolean,
): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  if (style === undefined) return plain(number);
  if (typeof style === 'object') return formatted(number, style.code);
  const days = style === 'date' && from1904 ? number + daysTo1904 : number;
  if (number < 0 || days > maxDays) return plain(number);
  if (style === 'duration') return formatted(number, '[hh]:mm:ss');
  const text = formatted(days, 'yyyy-mm-dd hh:mm:ss');
  return number < 1 ? text.slice(-8) : text.replace(/ 00:00:00$/, '');
}

const plain = (number: number) => String(Number(number.toPrecision(15)));

function formatted(number: number, code: string): string {
  try {
    return format(code, number, { nbsp: false }).trim();
  } catch {
    return plain(number);
  }
}
