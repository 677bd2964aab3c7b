import type { Pdfium } from './pdfium.ts';
import { type Box, gapBetween, heightOf, overlap, type Run, sharesRow, union } from './run.ts';

/** Text in this mode can't be seen: an earlier OCR laid it over a scan. */
const invisible = 3;

/** A gap of this many line heights ends a run: what follows may stand in another column or cell. */
const widestGap = 0.9;

/** The visible text of a page, in the order in which it was written. */
export class TextLayer {
  readonly runs: Run[] = [];
  /** How many characters there are beside spaces. */
  characters = 0;
  /** For how many of them the font doesn't say which letter they are. */
  unknown = 0;
  private run: Run | undefined;

  static of(pdfium: Pdfium, page: number): TextLayer {
    const { exports } = pdfium;
    const layer = new TextLayer();
    const text = exports.FPDFText_LoadPage(page);
    const quarterTurns = exports.FPDFPage_GetRotation(page);
    const sheet = pdfium.pageBox(page);
    for (const index of visibleCharacters(pdfium, text)) {
      const hyphen = exports.FPDFText_IsHyphen(text, index) === 1;
      const letter = hyphen ? '-' : letterOf(exports.FPDFText_GetUnicode(text, index));
      exports.FPDFText_GetLooseCharBox(text, index, pdfium.scratch);
      layer.add(letter, pdfium.box(), sheet, quarterTurns);
      if (exports.FPDFText_HasUnicodeMapError(text, index) === 1) layer.unknown += 1;
    }
    exports.FPDFText_ClosePage(text);
    return layer;
  }

  private add(letter: string, box: Box, sheet: Box, quarterTurns: number): void {
    if (letter === '\n' || letter === '\r') this.run = undefined;
    else if (letter.trim() === '') this.addSpace();
    else if (overlap(box, sheet) > 0) this.addLetter(letter, upright(box, quarterTurns));
  }

  private addSpace(): void {
    if (this.run) this.run.text += ' ';
  }

  private addLetter(letter: string, box: Box): void {
    const { run } = this;
    this.characters += 1;
    if (run && sharesRow(run, box) && gapBetween(run, box) < widestGap * heightOf(run)) {
      Object.assign(run, union(run, box), { text: run.text + letter });
    } else {
      this.run = { ...box, text: letter };
      this.runs.push(this.run);
    }
  }
}

function* visibleCharacters({ exports }: Pdfium, text: number): Generator<number> {
  const count = exports.FPDFText_CountChars(text);
  let object = 0;
  let visible = true;
  for (let index = 0; index < count; index++) {
    const drawnBy = exports.FPDFText_GetTextObject(text, index);
    if (drawnBy && drawnBy !== object) {
      object = drawnBy;
      visible = exports.FPDFTextObj_GetTextRenderMode(object) !== invisible;
    }
    if (visible) yield index;
  }
}

/** Ligatures are taken apart: `ﬁ` is two letters to whoever searches for them. */
function letterOf(code: number): string {
  if (code <= 0 || code > 0x10ffff) return '\ufffd';
  const letter = String.fromCodePoint(code);
  return code >= 0xfb00 && code <= 0xfb06 ? letter.normalize('NFKC') : letter;
}

/** A box as it lies once the page has been turned for its reader; where it ends up doesn't matter. */
function upright({ left, right, bottom, top }: Box, quarterTurns: number): Box {
  if (quarterTurns === 1) return { left: bottom, right: top, bottom: -right, top: -left };
  if (quarterTurns === 2) return { left: -right, right: -left, bottom: -top, top: -bottom };
  if (quarterTurns === 3) return { left: -top, right: -bottom, bottom: left, top: right };
  return { left, right, bottom, top };
}
