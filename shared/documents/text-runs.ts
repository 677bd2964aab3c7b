import { type Box, centreOf, gapBetween, heightOf, holds, sharesRow, widen } from './box.ts';
import { joinLetters, type LastLetter, type Letter } from './letters.ts';
import type { Pdfium } from './pdfium.ts';
import type { LayerRun, RunWord } from './rows.ts';
import { withHeads } from './sideways.ts';
import { levelled, mainTurn, turned } from './turn.ts';
import { visibleLetters } from './visible-letters.ts';

/** In line heights. A wider gap ends a run: what follows may stand in another column or cell. */
const maxGap = 0.9;

/** The visible text of a page, in the order in which it was written. */
export class TextLayer {
  /** The runs of the direction that most of the text has, with the sideways heads of its tables. */
  readonly runs: LayerRun[];
  /** The runs of each other direction. */
  readonly sideways: LayerRun[][];
  /** The visible text, without spaces. */
  readonly letters: string;
  /** The visible letters whose font doesn't say which they are. */
  readonly flagged: string;
  /** Whether a piece of the text has letters that PDFium can't tell at all. */
  readonly isPartial: boolean;
  /** Whether there is text that neither a layer nor a picture of the page shows. */
  readonly isUntold: boolean;
  /** Whether letters were left out that nobody sees on the page. */
  readonly isHidden: boolean;
  /** The page as it is shown. */
  readonly page: Box;
  /** How often the page is turned clockwise by a quarter to be shown. */
  readonly quarterTurns: number;
  /** The runs of all directions, as they were written. */
  readonly all: LayerRun[];

  static of(pdfium: Pdfium, page: number): TextLayer {
    return new TextLayer(pdfium, page);
  }

  private constructor(pdfium: Pdfium, page: number) {
    const pageBox = pdfium.pageBox(page);
    this.quarterTurns = pdfium.exports.FPDFPage_GetRotation(page);
    this.page = turned(pageBox, this.quarterTurns);
    const writer = new RunWriter(pageBox);
    const { letters, isPartial, isUntold, isHidden } = visibleLetters(pdfium, page);
    for (const letter of letters) writer.add(letter);
    this.isPartial = isPartial();
    this.isUntold = isUntold();
    this.isHidden = isHidden();
    this.letters = writer.letters;
    this.flagged = writer.flagged;
    this.all = writer.runs;
    const main = mainTurn(writer.runs);
    const { runs, others } = withHeads(writer.runs, main);
    this.runs = runs;
    this.sideways = others;
  }

  /** Returns where a word stands on the page as it is shown. */
  placeOf(word: RunWord): Box {
    return turned(word.place, this.quarterTurns);
  }
}

/** Joins letters to words and runs. */
class RunWriter {
  readonly runs: LayerRun[] = [];
  letters = '';
  flagged = '';
  private readonly page: Box;
  private run: LayerRun | undefined;
  private word: RunWord | undefined;
  /** The letter before, or the one that raised and lowered letters stand beside. */
  private last: LastLetter | undefined;

  constructor(page: Box) {
    this.page = page;
  }

  add(letter: Letter): void {
    if (letter.text === '\n' || letter.text === '\r') this.run = undefined;
    else if (letter.text.trim() === '') this.addSpace();
    else if (holds(this.page, centreOf(letter.place))) this.addLetter(letter);
  }

  private addSpace(): void {
    if (this.run) this.run.text += ' ';
    this.word = undefined;
  }

  private addLetter(letter: Letter): void {
    this.letters += letter.text;
    if (letter.isFlagged) this.flagged += letter.text;
    const { run } = this;
    const box = levelled(letter.place, letter.turn);
    if (run && run.turn === letter.turn && follows(run, box)) this.addToRun(run, letter, box);
    else this.startRun(letter, box);
  }

  private startRun({ text, place, turn }: Letter, box: Box): void {
    this.word = { text, place, ...box };
    this.run = { text, turn, words: [this.word], ...box };
    this.last = { text, ...box };
    this.runs.push(this.run);
  }

  private addToRun(run: LayerRun, { text, place }: Letter, box: Box): void {
    const { word, last } = this;
    const letter = { text, ...box };
    const end = word && last ? joinLetters(last, letter) : { text, replaced: 0, isBase: true };
    const written = (before: string) => before.slice(0, before.length - end.replaced) + end.text;
    widen(run, box);
    run.text = written(run.text);
    if (word) {
      widen(word, box);
      word.text = written(word.text);
      widen(word.place, place);
    } else {
      this.word = { text, place, ...box };
      run.words.push(this.word);
    }
    if (end.isBase) this.last = { ...letter, text: end.text };
  }
}

const follows = (run: LayerRun, box: Box) =>
  sharesRow(run, box) && gapBetween(run, box) < maxGap * heightOf(run);
