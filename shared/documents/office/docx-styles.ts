import type { Archive } from './archive.ts';
import { maxDepth } from './docx-numbering.ts';
import { partWhere, type Relationship } from './relationships.ts';
import { attribute, readPart } from './xml.ts';

/** What a paragraph's style or its own properties say of it. */
export interface ParagraphStyle {
  /** From 0; a paragraph of an outline is a heading. */
  outlineLevel?: number;
  /** The list that it belongs to; '0' for none. */
  numberingId?: string;
  /** The depth in the list, from 0. */
  depth?: number;
}

interface Style extends ParagraphStyle {
  basedOn?: string;
}

const maxInheritance = 16;
/** The outline level that stands for text. */
const bodyLevel = 9;

/** Reads one element among a paragraph's or a style's properties into these. */
export function readProperty(style: ParagraphStyle, name: string, value: string | undefined): void {
  if (value === undefined) return;
  const number = Number(value);
  if (name === 'outlineLvl' && number >= 0 && number < bodyLevel) style.outlineLevel = number;
  if (name === 'ilvl' && number >= 0 && number < maxDepth) style.depth = number;
  if (name === 'numId') style.numberingId = value;
}

/** Reads the styles of a Word file. Returns a function from a style to its properties, inherited ones included. */
export function readStyles(
  archive: Archive,
  relationships: Relationship[],
): (id: string) => ParagraphStyle {
  const styles = new Map<string, Style>();
  const part = partWhere(archive, relationships, ({ type }) => type === 'styles');
  let style: Style = {};
  if (part) {
    readPart(archive, part, {
      root: 'styles',
      open: (name, attributes) => {
        const value = attribute(attributes, 'val');
        if (name === 'style') {
          style = {};
          styles.set(attribute(attributes, 'styleId') ?? '', style);
        } else if (name === 'basedOn' && value !== undefined) style.basedOn = value;
        else if (name === 'name') readProperty(style, 'outlineLvl', levelByName(value));
        else readProperty(style, name, value);
      },
    });
  }
  return (id) => inherited(styles, id);
}

/** Word names its headings in English, and shows them in any language. */
function levelByName(name = ''): string | undefined {
  if (name.toLowerCase() === 'title') return '0';
  const level = name.match(/^heading ([1-9])$/i)?.[1];
  return level && String(Number(level) - 1);
}

function inherited(styles: Map<string, Style>, id: string): ParagraphStyle {
  let style: ParagraphStyle = {};
  let current = styles.get(id);
  for (let n = 0; current && n < maxInheritance; n++) {
    const { basedOn, ...own } = current;
    style = { ...own, ...style };
    current = styles.get(basedOn ?? '');
  }
  return style;
}
