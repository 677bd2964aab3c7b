import type { TextLine } from './text-lines.ts';

/** Successive lines that belong together; a list's are also grouped as its items. */
export interface TextPart {
  lines: TextLine[];
  items?: TextLine[][];
}

const bullet = /^[•●○▪■◦‣∙·*–—-]$/;
/** How Tesseract reads round bullets: it knows no such letter. */
const misreadBullet = /^[eo®©¢°«»§]$/;
const ordinal = /^\(?(\d{1,3}|[a-z]|[ivx]{2,4})[.)]$/i;

const isMarker = (word: string) => bullet.test(word) || ordinal.test(word);

/** Whether a word may be the bullet or the number of a list's item. */
export const mayBeMarker = (word: string) => isMarker(word) || misreadBullet.test(word);

/** Parts a block's lines into lists and paragraphs. */
export function listsAndParagraphs(lines: readonly TextLine[], bodyHeight: number): TextPart[] {
  const parts: TextPart[] = [];
  for (let at = 0; at < lines.length; ) {
    const items = itemsFrom(lines, at);
    const size = items.flat().length;
    if (isList(items)) parts.push({ lines: items.flat(), items });
    else addToParagraph(parts, lines[at] as TextLine, bodyHeight);
    at += isList(items) ? size : 1;
  }
  return parts;
}

/** Puts bullets where two lines or more of a block begin, one under the other, with an odd letter alone. */
export function withBullets(lines: readonly TextLine[]): TextLine[] {
  const isMisread = ({ words: [first, second] }: TextLine) =>
    second !== undefined && misreadBullet.test(first?.text ?? '');
  const misread = lines.filter(isMisread);
  return lines.map((line) => {
    const isAligned =
      misread.filter(
        ({ block, box }) =>
          block === line.block && Math.abs(box.x0 - line.box.x0) < line.height / 2,
      ).length > 1;
    if (!isMisread(line) || !isAligned) return line;
    const [first, ...rest] = line.words;
    return first ? { ...line, words: [{ ...first, text: '•' }, ...rest] } : line;
  });
}

/** The items that begin at a line; none where it begins no item. */
function itemsFrom(lines: readonly TextLine[], start: number): TextLine[][] {
  const items: TextLine[][] = [];
  for (const line of lines.slice(start)) {
    const item = items.at(-1);
    if (isMarker(line.words[0]?.text ?? '') && line.words.length > 1) items.push([line]);
    else if (item && isIndented(line, item)) item.push(line);
    else break;
  }
  return items;
}

/** The lines of an item after its first hang further in than its bullet. */
function isIndented(line: TextLine, [first]: TextLine[]): boolean {
  return first !== undefined && line.box.x0 > first.box.x0 + line.height / 3;
}

function isList(items: TextLine[][]): boolean {
  return items.length > 1 || bullet.test(items[0]?.[0]?.words[0]?.text ?? '');
}

function addToParagraph(parts: TextPart[], line: TextLine, bodyHeight: number): void {
  const last = parts.at(-1);
  const before = last?.items ? undefined : last?.lines.at(-1);
  const isHeading = (each: TextLine) => each.height >= bodyHeight * 1.2;
  const isSame =
    before &&
    before.paragraph === line.paragraph &&
    before.block === line.block &&
    isHeading(before) === isHeading(line);
  if (last && isSame) last.lines.push(line);
  else parts.push({ lines: [line] });
}
