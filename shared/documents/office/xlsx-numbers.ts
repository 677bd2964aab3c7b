import type { Archive } from './archive.ts';
import { attribute, readPart } from './xml.ts';

/**
 * The numbers of the formats that show a number as a date or a time, and that a file doesn't define.
 *
 * @see https://learn.microsoft.com/en-us/dotnet/api/documentformat.openxml.spreadsheet.numberingformat
 */
const builtInDates = [
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22],
  ...[27, 28, 29, 30, 31, 32, 33, 34, 35, 36],
  ...[45, 46, 47, 50, 51, 52, 53, 54, 55, 56, 57, 58],
];
const dayMs = 86_400_000;
/** Day 0. Excel counts a 29 February 1900, which there wasn't, so days before March 1900 are one off. */
const epochMs = Date.UTC(1899, 11, 30);
const epoch1904Ms = Date.UTC(1904, 0, 1);
/** The last day of the year 9999. */
const maxDays = 2_958_465;

/** Reads the styles of a workbook. Returns which of them show numbers as dates. */
export function readDateStyles(archive: Archive, part: string): ReadonlySet<number> {
  const dates = new Set(builtInDates);
  const styles = new Set<number>();
  let isCellFormat = false;
  let count = 0;
  readPart(archive, part, {
    root: 'styleSheet',
    open: (name, attributes) => {
      const id = Number(attribute(attributes, 'numFmtId'));
      if (name === 'cellXfs') isCellFormat = true;
      else if (name === 'numFmt' && isDateFormat(attribute(attributes, 'formatCode') ?? '')) {
        dates.add(id);
      } else if (name === 'xf' && isCellFormat) {
        if (dates.has(id)) styles.add(count);
        count += 1;
      }
    },
    close: (name) => {
      if (name === 'cellXfs') isCellFormat = false;
    },
  });
  return styles;
}

/** Whether a format such as `dd/mm/yyyy` shows a date or a time, beside what it shows as it is. */
function isDateFormat(code: string): boolean {
  const bare = code.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '');
  return /[ymdhs]/i.test(bare) && !/general/i.test(bare);
}

/** Returns a number as a cell shows it: as a date if `isDate`, and without the noise of binary fractions. */
export function numberText(value: string, isDate: boolean, from1904: boolean): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  return isDate && number >= 0 && number <= maxDays
    ? dateText(number, from1904)
    : String(Number(number.toPrecision(15)));
}

function dateText(days: number, from1904: boolean): string {
  const ms = (from1904 ? epoch1904Ms : epochMs) + Math.round(days * dayMs);
  const [date = '', time = ''] = new Date(ms).toISOString().slice(0, 19).split('T');
  if (days < 1) return time;
  return time === '00:00:00' ? date : `${date} ${time}`;
}
