import { type Box, centreOf, gapBetween, heightOf, holds, sharesRow, widen } from './box.ts';
import { joinLetters, type LastLetter, type Letter } from './letters.ts';
import type { Pdfium } from './pdfium.ts';
import type { LayerRun, RunWord } from './rows.ts';
import { withHeads } from './sideways.ts';
import { levelled, mainTurn, turned } from './text-turn.ts';
import { type LettersLeft, visibleLetters } from './visible-letters.ts';

/** The widest gap in a run, in line heights: beyond it another column or cell may begin. */
const maxGap = 0.9;

/** The visible text of a page, in the order in which it was written. */
export interface TextLayer extends LettersLeft {
  /** The runs of the direction that most of the text has, with the sideways heads of its tables. */
  runs: LayerRun[];
  /** The runs of each other direction. */
  sideways: LayerRun[][];
  /** The runs of all directions, as they were written. */
  all: LayerRun[];
  /** The visible text, without spaces. */
  letters: string;
  /** The visible letters whose font doesn't say which they are. */
  flagged: string;
  /** The page as it is shown. */
  page: Box;
  /** How often the page is turned clockwise by a quarter to be shown. */
  quarterTurns: number;
}

/** Reads the text of a page that PDFium has open. */
export function readTextLayer(pdfium: Pdfium, page: number): TextLayer {
  const quarterTurns = pdfium.exports.FPDFPage_GetRotation(page);
  const pageBox = pdfium.pageBox(page);
  const writer = new RunWriter(pageBox);
  const left = visibleLetters(pdfium, page, (letter) => writer.add(letter));
  const { letters, flagged, runs: all } = writer;
  const { runs, others: sideways } = withHeads(all, mainTurn(all));
  return {
    ...left,
    runs,
    sideways,
    all,
    letters,
    flagged,
    quarterTurns,
    page: turned(pageBox, quarterTurns),
  };
}

/** Returns where a word stands on its page as that is shown. */
export const placeOf = ({ quarterTurns }: TextLayer, { place }: RunWord): Box =>
  turned(place, quarterTurns);

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
