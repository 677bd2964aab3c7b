import { unreadableDocument } from '../errors.ts';
import type { Block, Markdown } from '../markdown.ts';
import { TableReader } from '../table-reader.ts';
import type { Archive } from './archive.ts';
import { relationshipId, shownBy } from './drawings.ts';
import { mainPartOf, partWhere, relationshipsOf } from './relationships.ts';
import { addSlide, type Slide } from './slides.ts';
import { type Attributes, attribute, attributesOf, type PartHandler, readPart } from './xml.ts';

const maxSlides = 2_000;

/** Writes the slides of a PowerPoint file in their order, with titles and notes. */
export function readPptx(archive: Archive, markdown: Markdown): void {
  for (const [index, part] of slideParts(archive).entries()) {
    addSlide(markdown, index + 1, readSlide(archive, part, markdown.room));
  }
}

/** Returns the names of a PowerPoint file's slides, in their order. Throws 422 for more than 2,000. */
export function slideParts(archive: Archive): string[] {
  const main = mainPartOf(archive, 'ppt/presentation.xml');
  const parts = new Map(relationshipsOf(archive, main).map(({ id, part }) => [id, part]));
  const slides = attributesOf(archive, main, 'presentation', 'sldId').flatMap(
    (attributes) => parts.get(relationshipId(attributes)) ?? [],
  );
  if (slides.length > maxSlides) {
    throw unreadableDocument(`it has more than ${maxSlides} slides`);
  }
  return slides;
}

function readSlide(archive: Archive, part: string, room: number): Slide {
  const relationships = relationshipsOf(archive, part);
  const shown = (name: string, attributes: Attributes) =>
    shownBy(archive, relationships, name, attributes);
  const reader = new SlideReader('sld', room, shown);
  readPart(archive, part, reader);
  const notesPart = partWhere(archive, relationships, ({ type }) => type === 'notesSlide');
  const notes = new SlideReader('notes', room);
  if (notesPart) readPart(archive, notesPart, notes);
  return { titles: reader.titles, blocks: reader.blocks(), notes: notes.bodyTexts };
}

interface Paragraph {
  text: string;
  depth: number;
  hasBullet: boolean;
}

/** What stands at a place of a slide. */
interface Shape {
  /** Undefined if its layout places it. */
  x: number | undefined;
  y: number | undefined;
  blocks: Block[];
  /** The shapes of a group. */
  shapes: Shape[];
}

const shapeElements = new Set(['sp', 'graphicFrame', 'grpSp', 'pic', 'cxnSp']);
/** A third of an inch in EMU. Shapes with tops closer than this stand side by side. */
const rowEmu = 300_000;

function place(shape: Shape | undefined, attributes: Attributes): void {
  if (!shape || shape.y !== undefined) return;
  shape.x = Number(attribute(attributes, 'x')) || 0;
  shape.y = Number(attribute(attributes, 'y')) || 0;
}

/** Returns shapes by their place. One without a place stays after the shape that it was written after. */
function inPlace(shapes: readonly Shape[]): Shape[] {
  let [x, y] = [0, 0];
  const placed = shapes.map((shape) => {
    [x, y] = [shape.x ?? x, shape.y ?? y];
    return { shape, x, row: Math.round(y / rowEmu) };
  });
  return placed
    .toSorted((one, other) => one.row - other.row || one.x - other.x)
    .map(({ shape }) => shape);
}

/** The placeholders that repeat on each slide, and the picture of the slide on its notes. */
const ignoredPlaceholders = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);
const titlePlaceholders = new Set(['title', 'ctrTitle']);

/** Reads a slide, or the notes of one. @see https://ecma-international.org/publications-and-standards/standards/ecma-376/ */
class SlideReader implements PartHandler {
  readonly skipped = new Set(['Fallback']);
  readonly root: string;
  readonly titles: string[] = [];
  /** The texts of the shape that holds the slide's main text, or the notes. */
  readonly bodyTexts: string[] = [];
  private readonly room: number;
  private readonly shown: (name: string, attributes: Attributes) => Block[];
  private readonly tables = new TableReader();
  /** The shapes of the slide; each group of shapes is one. */
  private readonly shapes: Shape[] = [];
  /** The open shape, and those that it lies in. */
  private readonly within: Shape[] = [];
  /** The type of the open shape's placeholder; undefined for an ordinary shape. */
  private placeholder: string | undefined;
  private paragraph: Paragraph | undefined;

  constructor(
    root: string,
    room: number,
    shown: (name: string, attributes: Attributes) => Block[] = () => [],
  ) {
    this.root = root;
    this.room = room;
    this.shown = shown;
  }

  /** The slide's blocks from the top down, and side by side from the left. */
  blocks(): Block[] {
    return inPlace(this.shapes).flatMap(({ blocks }) => blocks);
  }

  open(name: string, attributes: Attributes): void {
    if (shapeElements.has(name)) this.openShape();
    else if (name === 'off') place(this.within.at(-1), attributes);
    else if (name === 'ph') this.placeholder = attribute(attributes, 'type') ?? 'body';
    else if (name === 'p') {
      this.paragraph = { text: '', depth: 0, hasBullet: isList(this.placeholder) };
    } else if (name === 'tbl') this.tables.openTable(this.room);
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'tc') this.tables.openCell();
    else if (this.paragraph) openInParagraph(this.paragraph, name, attributes);
    else this.add(...this.shown(name, attributes));
  }

  text(text: string, within: string): void {
    if (within === 't' && this.paragraph) this.paragraph.text += text;
  }

  close(name: string): void {
    if (name === 'p') this.closeParagraph();
    else if (shapeElements.has(name)) this.closeShape();
    else if (name === 'tc') this.tables.closeCell();
    else if (name === 'tr') this.tables.closeRow();
    else if (name === 'tbl') this.add({ table: this.tables.closeTable() ?? [] });
  }

  private openShape(): void {
    this.placeholder = undefined;
    this.within.push({ x: undefined, y: undefined, blocks: [], shapes: [] });
  }

  private closeShape(): void {
    this.placeholder = undefined;
    const shape = this.within.pop();
    if (!shape) return;
    shape.blocks.push(...inPlace(shape.shapes).flatMap(({ blocks }) => blocks));
    (this.within.at(-1)?.shapes ?? this.shapes).push(shape);
  }

  private add(...blocks: Block[]): void {
    this.within.at(-1)?.blocks.push(...blocks);
  }

  private closeParagraph(): void {
    const { paragraph, placeholder = '' } = this;
    this.paragraph = undefined;
    const text = paragraph?.text.trim();
    if (!paragraph || !text || ignoredPlaceholders.has(placeholder)) return;
    if (this.tables.addText(text)) return;
    if (placeholder === 'body') this.bodyTexts.push(text);
    if (titlePlaceholders.has(placeholder)) this.titles.push(text);
    else if (paragraph.hasBullet) this.add({ item: text, depth: paragraph.depth, marker: '-' });
    else this.add({ paragraph: text });
  }
}

/** Whether the paragraphs of a placeholder have bullets unless they say otherwise. */
const isList = (placeholder: string | undefined) => placeholder === 'body' || placeholder === 'obj';

function openInParagraph(paragraph: Paragraph, name: string, attributes: Attributes): void {
  if (name === 'br') paragraph.text += '\n';
  else if (name === 'pPr') paragraph.depth = Number(attribute(attributes, 'lvl')) || 0;
  else if (name === 'buNone') paragraph.hasBullet = false;
  else if (name === 'buChar' || name === 'buAutoNum') paragraph.hasBullet = true;
}
