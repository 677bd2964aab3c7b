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
  ...[45, 47, 50, 51, 52, 53, 54, 55, 56, 57, 58],
];
/** `[h]:mm:ss` */
const builtInDuration = 46;
const dayMs = 86_400_000;
/** Day 0. Excel counts a 29 February 1900, which there wasn't, so days before March 1900 are one off. */
const epochMs = Date.UTC(1899, 11, 30);
const epoch1904Ms = Date.UTC(1904, 0, 1);
/** The last day of the year 9999. */
const maxDays = 2_958_465;

/** How a style shows a number that counts days: as the date it stands for, or as the hours that it lasts. */
type DayStyle = 'date' | 'duration';

/** Reads the styles of a workbook. Returns those that show numbers as dates or durations. */
export function readDayStyles(archive: Archive, part: string): ReadonlyMap<number, DayStyle> {
  const formats = new Map<number, DayStyle>(builtInDates.map((id) => [id, 'date']));
  formats.set(builtInDuration, 'duration');
  const styles = new Map<number, DayStyle>();
  let isCellFormat = false;
  let count = 0;
  readPart(archive, part, {
    root: 'styleSheet',
    open: (name, attributes) => {
      const id = Number(attribute(attributes, 'numFmtId'));
      if (name === 'cellXfs') isCellFormat = true;
      else if (name === 'numFmt') {
        const shown = dayStyleOf(attribute(attributes, 'formatCode') ?? '');
        if (shown) formats.set(id, shown);
      } else if (name === 'xf' && isCellFormat) {
        const shown = formats.get(id);
        if (shown) styles.set(count, shown);
        count += 1;
      }
    },
    close: (name) => {
      if (name === 'cellXfs') isCellFormat = false;
    },
  });
  return styles;
}

/**
 * Returns what a format such as `dd/mm/yyyy` shows, beside what it shows as it is: a date or a time; or a duration,
 * whose largest unit stands in brackets, as in `[h]:mm`. Undefined for a number.
 */
function dayStyleOf(code: string): DayStyle | undefined {
  const bare = code.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, '');
  if (!/[ymdhs]/i.test(bare) || /general/i.test(bare)) return undefined;
  return bare.includes('[') ? 'duration' : 'date';
}

/** Returns a number as a cell shows it: as a date or a duration if it is one, and without the noise of binary fractions. */
export function numberText(value: string, shown: DayStyle | undefined, from1904: boolean): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  if (!shown || number < 0 || number > maxDays) return String(Number(number.toPrecision(15)));
  return shown === 'date' ? dateText(number, from1904) : durationText(number);
}

function dateText(days: number, from1904: boolean): string {
  const ms = (from1904 ? epoch1904Ms : epochMs) + Math.round(days * dayMs);
  const [date = '', time = ''] = new Date(ms).toISOString().slice(0, 19).split('T');
  if (days < 1) return time;
  return time === '00:00:00' ? date : `${date} ${time}`;
}

/** Returns hours, minutes and seconds, of which there may be more hours than a day has. */
function durationText(days: number): string {
  const seconds = Math.round((days * dayMs) / 1_000);
  const units = [seconds / 3_600, (seconds / 60) % 60, seconds % 60];
  return units.map((unit) => String(Math.floor(unit)).padStart(2, '0')).join(':');
}
