import { unreadableDocument } from '../errors.ts';
import type { Archive } from './archive.ts';
import type { Markdown } from './markdown.ts';
import { mainPartOf, relationshipsOf } from './relationships.ts';
import { addSlide, type Slide } from './slides.ts';
import { TableReader } from './table-reader.ts';
import { type Attributes, attribute, type PartHandler, readPart } from './xml.ts';

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
  const slides = slideIds(archive, main).flatMap((id) => parts.get(id) ?? []);
  if (slides.length > maxSlides) {
    throw unreadableDocument(`it has more than ${maxSlides} slides`);
  }
  return slides;
}

function slideIds(archive: Archive, main: string): string[] {
  const ids: string[] = [];
  readPart(archive, main, {
    root: 'presentation',
    open: (name, attributes) => {
      if (name === 'sldId') ids.push(relationshipId(attributes));
    },
  });
  return ids;
}

/** Returns the attribute `r:id`, which stands beside a plain `id`. */
function relationshipId(attributes: Attributes): string {
  return attributes[Object.keys(attributes).find((key) => key.endsWith(':id')) ?? ''] ?? '';
}

function readSlide(archive: Archive, part: string, room: number): Slide {
  const reader = new SlideReader('sld', room);
  readPart(archive, part, reader);
  const notesPart = relationshipsOf(archive, part).find(({ type }) => type === 'notesSlide')?.part;
  if (notesPart && archive.has(notesPart)) {
    const notes = new SlideReader('notes', room);
    readPart(archive, notesPart, notes);
    reader.slide.notes = notes.bodyTexts;
  }
  return reader.slide;
}

interface Paragraph {
  text: string;
  depth: number;
  hasBullet: boolean;
}

/** The placeholders that repeat on each slide, and the picture of the slide on its notes. */
const ignoredPlaceholders = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);
const titlePlaceholders = new Set(['title', 'ctrTitle']);

/**
 * Reads a slide, or the notes of one.
 *
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
class SlideReader implements PartHandler {
  readonly skipped = new Set(['Fallback']);
  readonly root: string;
  readonly slide: Slide = { titles: [], blocks: [], notes: [] };
  /** The texts of the shape that holds the slide's main text, or the notes. */
  readonly bodyTexts: string[] = [];
  private readonly room: number;
  private readonly tables = new TableReader();
  /** The type of the open shape's placeholder; undefined for an ordinary shape. */
  private placeholder: string | undefined;
  private paragraph: Paragraph | undefined;
  private isText = false;

  constructor(root: string, room: number) {
    this.root = root;
    this.room = room;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 't') this.isText = true;
    else if (name === 'sp') this.placeholder = undefined;
    else if (name === 'ph') this.placeholder = attribute(attributes, 'type') ?? 'body';
    else if (name === 'p') {
      this.paragraph = { text: '', depth: 0, hasBullet: isList(this.placeholder) };
    } else if (name === 'tbl') this.tables.openTable(this.room);
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'tc') this.tables.openCell();
    else if (this.paragraph) openInParagraph(this.paragraph, name, attributes);
  }

  text(text: string): void {
    if (this.isText && this.paragraph) this.paragraph.text += text;
  }

  close(name: string): void {
    if (name === 't') this.isText = false;
    else if (name === 'p') this.closeParagraph();
    else if (name === 'sp') this.placeholder = undefined;
    else if (name === 'tc') this.tables.closeCell();
    else if (name === 'tr') this.tables.closeRow();
    else if (name === 'tbl') this.slide.blocks.push({ table: this.tables.closeTable() ?? [] });
  }

  private closeParagraph(): void {
    const { paragraph, placeholder = '' } = this;
    this.paragraph = undefined;
    const text = paragraph?.text.trim();
    if (!paragraph || !text || ignoredPlaceholders.has(placeholder)) return;
    if (this.tables.addText(text)) return;
    if (placeholder === 'body') this.bodyTexts.push(text);
    if (titlePlaceholders.has(placeholder)) this.slide.titles.push(text);
    else if (paragraph.hasBullet) {
      this.slide.blocks.push({ item: text, depth: paragraph.depth, marker: '-' });
    } else this.slide.blocks.push({ paragraph: text });
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
