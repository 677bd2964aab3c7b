import { isBullet, isMarker, isMisreadBullet } from './list-markers.ts';
import type { TextLine } from './text-lines.ts';

/** A paragraph's lines, or a list's, which are also grouped as its items. */
export interface TextPart {
  lines: TextLine[];
  items?: TextLine[][];
}

/** Splits a block's lines into lists and paragraphs. */
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

/** Puts bullets in place of letters that Tesseract misread: at least two lines of a block begin so at the same left edge. */
export function withBullets(lines: readonly TextLine[]): TextLine[] {
  const isMisread = ({ words: [first, second] }: TextLine) =>
    second !== undefined && isMisreadBullet(first?.text ?? '');
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

/** Returns the successive items that begin at a line; none if the line begins no item. */
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

/** Whether a line belongs to an item: an item's later lines are indented further than its bullet. */
function isIndented(line: TextLine, [first]: TextLine[]): boolean {
  return first !== undefined && line.box.x0 > first.box.x0 + line.height / 3;
}

function isList(items: TextLine[][]): boolean {
  return items.length > 1 || isBullet(items[0]?.[0]?.words[0]?.text ?? '');
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
