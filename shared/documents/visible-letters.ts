import { type Box, centreOf, holds } from './box.ts';
import { type Letter, letterOf } from './letters.ts';
import type { Pdfium } from './pdfium.ts';
import { pageObjects } from './pictures.ts';
import { type Turn, turnOf } from './text-turn.ts';

/**
 * FPDF_TEXTRENDERMODE_INVISIBLE: text that is not drawn, as an earlier OCR lays it over a scan.
 * @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdfview.h
 */
const invisible = 3;
/** FPDF_PAGEOBJ_TEXT, FPDF_PAGEOBJ_PATH. */
const [textType, pathType] = [1, 2];
/** FPDF_SEGMENT_BEZIERTO. */
const bezier = 1;
/** Text of at least this much of each colour is white: on a white page nobody sees it. */
const minWhite = 250;
/** More covers than these are not looked at: the page is a drawing. */
const maxCovers = 500;

/** The most text objects of a page that may be empty. */
const maxEmpty = 4;

/** A thing that is drawn on a page. */
interface DrawnObject {
  /** The later is drawn over the earlier. */
  order: number;
  box: Box;
}

/** How the letters of one text object are drawn. */
interface Style {
  isShown: boolean;
  isWhite: boolean;
  order: number;
  turn: Turn;
}

/** What else is known of a page's letters. */
export interface LettersLeft {
  /** Whether a text object has no letter that PDFium can tell. */
  isPartial: boolean;
  /** Whether text is neither told nor drawn, as its font is neither in the file nor PDFium's. */
  isUntold: boolean;
  /** Whether letters were left out that are white on the page, or covered. */
  isHidden: boolean;
}

/**
 * Tells the letters of a page that a reader sees, in the order in which they were written: none that are invisible, white
 * on the page, or covered. Letters that PDFium made up are like the one before.
 */
export function visibleLetters(
  pdfium: Pdfium,
  page: number,
  onLetter: (letter: Letter) => void,
): LettersLeft {
  const { exports } = pdfium;
  const objects = pageObjects(pdfium, page);
  const drawing = new Drawing(pdfium, objects);
  const read = new Set<number>();
  let isHidden = false;
  const text = exports.FPDFText_LoadPage(page);
  const count = exports.FPDFText_CountChars(text);
  let object = 0;
  let style: Style = { isShown: true, isWhite: false, order: 0, turn: 0 };
  for (let index = 0; index < count; index++) {
    const drawnBy = exports.FPDFText_GetTextObject(text, index);
    if (drawnBy && drawnBy !== object) {
      object = drawnBy;
      read.add(object);
      style = drawing.styleOf(object, exports.FPDFText_GetCharAngle(text, index));
    }
    const { text: written, codes } = letterAt(exports, text, index);
    // Both halves have the same place.
    index += codes - 1;
    if (!style.isShown) continue;
    // Loose boxes are as high as their font for any letter, so letters of one line share a row.
    exports.FPDFText_GetLooseCharBox(text, index, pdfium.scratch);
    const place = pdfium.box();
    if (drawing.hides(style, place)) {
      isHidden ||= written.trim() !== '';
      continue;
    }
    onLetter({
      text: exports.FPDFText_IsHyphen(text, index) === 1 ? '-' : written,
      place,
      turn: style.turn,
      isFlagged: exports.FPDFText_HasUnicodeMapError(text, index) === 1,
    });
  }
  exports.FPDFText_ClosePage(text);
  const texts = objects.filter((each) => exports.FPDFPageObj_GetType(each) === textType);
  const [known, lost] = [true, false].map((isRead) =>
    texts.filter((each) => read.has(each) === isRead).map((each) => boundsOf(pdfium, each)),
  ) as [Box[], Box[]];
  // Letters drawn twice, to look bold, are told once.
  const isTold = (box: Box) => known.some((other) => holds(other, centreOf(box)));
  return {
    isHidden,
    isUntold: lost.filter((box) => !hasExtent(box)).length > maxEmpty,
    isPartial: lost.some((box) => hasExtent(box) && !isTold(box)),
  };
}

/** The letter at an index; PDFium gives one beyond the first 65,536 as two halves. */
function letterAt(exports: Pdfium['exports'], text: number, index: number) {
  const code = exports.FPDFText_GetUnicode(text, index);
  if (code < 0xd800 || code > 0xdbff) return { text: letterOf(code), codes: 1 };
  const pair = String.fromCharCode(code, exports.FPDFText_GetUnicode(text, index + 1));
  return pair.isWellFormed() ? { text: pair, codes: 2 } : { text: letterOf(code), codes: 1 };
}

/** What is drawn on a page beside its letters, as far as it hides them or lies behind them. */
class Drawing {
  private readonly pdfium: Pdfium;
  private readonly objects: number[];
  private readonly orders: Map<number, number>;
  private known: { grounds: DrawnObject[]; covers: DrawnObject[] } | undefined;

  constructor(pdfium: Pdfium, objects: number[]) {
    this.pdfium = pdfium;
    this.objects = objects;
    this.orders = new Map(objects.map((object, order) => [object, order]));
  }

  styleOf(object: number, angle: number): Style {
    return {
      isShown: this.pdfium.exports.FPDFTextObj_GetTextRenderMode(object) !== invisible,
      isWhite: isWhite(colourOf(this.pdfium, object)),
      order: this.orders.get(object) ?? Infinity,
      turn: turnOf(angle),
    };
  }

  /** Whether a letter can't be seen where it stands. */
  hides({ isWhite, order }: Style, place: Box): boolean {
    if (this.objects.length < 2 && !isWhite) return false;
    this.known ??= this.look();
    const { grounds, covers } = this.known;
    const middle = centreOf(place);
    const lies = (over: boolean) => (drawn: DrawnObject) =>
      drawn.order > order === over && holds(drawn.box, middle);
    return covers.some(lies(true)) || (isWhite && !grounds.some(lies(false)));
  }

  private look() {
    const { pdfium, objects } = this;
    const grounds: DrawnObject[] = [];
    const covers: DrawnObject[] = [];
    for (const [order, object] of objects.entries()) {
      const type = pdfium.exports.FPDFPageObj_GetType(object);
      if (type === textType) continue;
      const drawn = { order, box: boundsOf(pdfium, object) };
      if (type !== pathType) grounds.push(drawn);
      else if (isFilled(pdfium, object)) {
        const colour = colourOf(pdfium, object);
        if (!isWhite(colour)) grounds.push(drawn);
        if (isRectangle(pdfium, object) && isOpaque(pdfium, object, colour)) covers.push(drawn);
      }
    }
    return { grounds, covers: covers.length > maxCovers ? [] : covers };
  }
}

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

function colourOf(pdfium: Pdfium, object: number): Colour {
  const known = pdfium.exports.FPDFPageObj_GetFillColor(object, ...pdfium.four);
  return known ? (pdfium.integers(4) as unknown as Colour) : [0, 0, 0, 255];
}

const isWhite = ([red, green, blue]: Colour) => Math.min(red, green, blue) >= minWhite;

const isOpaque = ({ exports }: Pdfium, object: number, [, , , alpha]: Colour) =>
  alpha === 255 && exports.FPDFPageObj_HasTransparency(object) === 0;

/** Whether a path is filled, and not only drawn as a line. */
function isFilled(pdfium: Pdfium, path: number): boolean {
  pdfium.exports.FPDFPath_GetDrawMode(path, pdfium.scratch, pdfium.scratch + 4);
  return pdfium.integers(1)[0] !== 0;
}

/** Whether a path is one rectangle whose sides lie along the page's. */
function isRectangle(pdfium: Pdfium, path: number): boolean {
  const { exports, scratch } = pdfium;
  const count = exports.FPDFPath_CountSegments(path);
  if (count < 4 || count > 5) return false;
  const points = Array.from({ length: count }, (_, index) => {
    const segment = exports.FPDFPath_GetPathSegment(path, index);
    exports.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
    return exports.FPDFPathSegment_GetType(segment) === bezier ? [] : pdfium.floats(2);
  });
  const different = (axis: 0 | 1) => new Set(points.map((point) => point[axis])).size;
  return points.every((point) => point.length > 0) && different(0) === 2 && different(1) === 2;
}

function boundsOf(pdfium: Pdfium, object: number): Box {
  pdfium.exports.FPDFPageObj_GetBounds(object, ...pdfium.four);
  const [left = 0, bottom = 0, right = 0, top = 0] = pdfium.floats(4);
  return { left, right, top: -top, bottom: -bottom };
}

const hasExtent = ({ left, top, right, bottom }: Box) => right > left || bottom > top;
