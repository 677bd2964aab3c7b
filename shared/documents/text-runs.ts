import { around, type Box, gapBetween, heightOf, sharedArea, sharesRow } from './box.ts';
import type { Pdfium } from './pdfium.ts';
import type { Run, RunWord } from './rows.ts';

/**
 * FPDF_TEXTRENDERMODE_INVISIBLE: text that is not drawn, as an earlier OCR lays it over a scan.
 *
 * @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdfview.h
 */
const invisible = 3;

/** In line heights. A wider gap ends a run: what follows may stand in another column or cell. */
const maxGap = 0.9;

/** The visible text of a page, in the order in which it was written. */
export class TextLayer {
  readonly runs: Run[] = [];
  /** How many characters there are, without spaces. */
  characters = 0;
  /** How many characters there are whose font doesn't say which letter they are. */
  unknown = 0;
  /** The page, turned as its text is. */
  readonly page: Box;
  private run: Run | undefined;
  private word: RunWord | undefined;

  private constructor(page: Box) {
    this.page = page;
  }

  static of(pdfium: Pdfium, page: number): TextLayer {
    const { exports } = pdfium;
    const quarterTurns = exports.FPDFPage_GetRotation(page);
    const pageBox = pdfium.pageBox(page);
    const layer = new TextLayer(upright(pageBox, quarterTurns));
    const text = exports.FPDFText_LoadPage(page);
    for (const index of visibleCharacters(pdfium, text)) {
      const hyphen = exports.FPDFText_IsHyphen(text, index) === 1;
      const letter = hyphen ? '-' : letterOf(exports.FPDFText_GetUnicode(text, index));
      // Loose boxes are as high as their font, whatever the letter, so letters of one line share a row.
      exports.FPDFText_GetLooseCharBox(text, index, pdfium.scratch);
      layer.add(letter, pdfium.box(), pageBox, quarterTurns);
      if (exports.FPDFText_HasUnicodeMapError(text, index) === 1) layer.unknown += 1;
    }
    exports.FPDFText_ClosePage(text);
    return layer;
  }

  private add(letter: string, box: Box, pageBox: Box, quarterTurns: number): void {
    if (letter === '\n' || letter === '\r') this.run = undefined;
    else if (letter.trim() === '') this.addSpace();
    else if (sharedArea(box, pageBox) > 0) this.addLetter(letter, upright(box, quarterTurns));
  }

  private addSpace(): void {
    if (this.run) this.run.text += ' ';
    this.word = undefined;
  }

  private addLetter(letter: string, box: Box): void {
    const { run } = this;
    this.characters += 1;
    if (run && sharesRow(run, box) && gapBetween(run, box) < maxGap * heightOf(run)) {
      Object.assign(run, around([run, box]), { text: run.text + letter });
      this.addToWord(run, letter, box);
    } else {
      this.word = { ...box, text: letter };
      this.run = { ...box, text: letter, words: [this.word] };
      this.runs.push(this.run);
    }
  }

  private addToWord(run: Run, letter: string, box: Box): void {
    const { word } = this;
    if (word) Object.assign(word, around([word, box]), { text: word.text + letter });
    else {
      this.word = { ...box, text: letter };
      run.words?.push(this.word);
    }
  }
}

/** Yields the indexes of visible characters. One that PDFium made up is as visible as the one before it. */
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

/** Returns a code point as text. A ligature such as `ﬁ` is taken apart, so that a search finds it. */
function letterOf(code: number): string {
  if (code <= 0 || code > 0x10ffff) return '\ufffd';
  const letter = String.fromCodePoint(code);
  return code >= 0xfb00 && code <= 0xfb06 ? letter.normalize('NFKC') : letter;
}

/**
 * Turns a box clockwise with its page, as a viewer does. It may end up outside the page: only how boxes lie
 * to each other matters.
 */
function upright({ left, top, right, bottom }: Box, quarterTurns: number): Box {
  if (quarterTurns === 1) return { left: -bottom, top: left, right: -top, bottom: right };
  if (quarterTurns === 2) return { left: -right, top: -bottom, right: -left, bottom: -top };
  if (quarterTurns === 3) return { left: top, top: -right, right: bottom, bottom: -left };
  return { left, top, right, bottom };
}
