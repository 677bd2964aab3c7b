import type { Archive } from './archive.ts';
import { partWhere, type Relationship } from './relationships.ts';
import { attribute, readPart } from './xml.ts';

/** How deep a list may be. */
export const maxDepth = 9;
/** A bullet may be any sign of its font. */
const bullet = '-';

/** How one depth of a list is numbered. */
interface Level {
  /** Such as `decimal` or `lowerLetter`. */
  format: string;
  /** The text before an item: `%1.%2` is the number of the item above, and its own. */
  text: string;
  start: number;
}

interface List {
  /** Lists of one definition go on with each other's numbers. */
  definition: string;
  levels: Level[];
  /** The depths that begin anew with this list. */
  restarts: Map<number, number>;
}

/** The lists of a Word file. Counts their items. */
export class Numberings {
  private readonly lists: ReadonlyMap<string, List>;
  /** For each definition, the last number at each depth. */
  private readonly numbers = new Map<string, number[]>();

  /** Reads the lists of a Word file. */
  constructor(archive: Archive, relationships: readonly Relationship[]) {
    const part = partWhere(archive, relationships, ({ type }) => type === 'numbering');
    this.lists = part ? readLists(archive, part) : new Map();
  }

  /** Returns the text before the next item of a list at this depth: `4.2`, `(b)` or `-`. */
  next(id: string, depth: number): string {
    const list = this.lists.get(id);
    const level = list?.levels[depth];
    if (!list || !level || level.format === 'bullet' || level.format === 'none') return bullet;
    const numbers = (this.numbers.get(list.definition) ?? []).slice(0, depth + 1);
    const restart = list.restarts.get(depth);
    list.restarts.delete(depth);
    const last = restart === undefined ? numbers[depth] : restart - 1;
    numbers[depth] = (last ?? level.start - 1) + 1;
    this.numbers.set(list.definition, numbers);
    const text = level.text.replaceAll(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const { format = 'decimal', start = 1 } = list.levels[at] ?? {};
      return inFormat(numbers[at] ?? start, format);
    });
    return text.trim() || `${numbers[depth]}.`;
  }
}

function readLists(archive: Archive, part: string): Map<string, List> {
  const definitions = new Map<string, Level[]>();
  const lists = new Map<string, List>();
  let levels: Level[] = [];
  let list: List | undefined;
  let depth = 0;
  const level = () => (levels[depth] ??= { format: 'decimal', text: `%${depth + 1}.`, start: 1 });
  const depthOf = (value: string | undefined) => Math.min(maxDepth - 1, Number(value) || 0);
  readPart(archive, part, {
    root: 'numbering',
    open: (name, attributes) => {
      const value = attribute(attributes, 'val') ?? '';
      if (name === 'abstractNum') {
        levels = [];
        definitions.set(attribute(attributes, 'abstractNumId') ?? '', levels);
      } else if (name === 'num') {
        list = { definition: '', levels: [], restarts: new Map() };
        lists.set(attribute(attributes, 'numId') ?? '', list);
      } else if (name === 'abstractNumId' && list) {
        list.definition = value;
        list.levels = levels = [...(definitions.get(value) ?? [])];
      } else if (name === 'lvl') {
        depth = depthOf(attribute(attributes, 'ilvl'));
        if (list) levels[depth] = { ...level() };
      } else if (name === 'lvlOverride') depth = depthOf(attribute(attributes, 'ilvl'));
      else if (name === 'startOverride') list?.restarts.set(depth, Number(value) || 0);
      else if (name === 'numFmt') level().format = value;
      else if (name === 'lvlText') level().text = value;
      else if (name === 'start') level().start = Number(value) || 0;
    },
  });
  return lists;
}

function inFormat(number: number, format: string): string {
  if (format === 'lowerLetter') return letters(number).toLowerCase();
  if (format === 'upperLetter') return letters(number);
  if (format === 'lowerRoman') return roman(number).toLowerCase();
  if (format === 'upperRoman') return roman(number);
  return format === 'decimalZero' ? String(number).padStart(2, '0') : String(number);
}

/** A to Z, then AA to ZZ, as Word counts. */
const letters = (number: number) => {
  const index = Math.max(0, number - 1);
  return String.fromCharCode(65 + (index % 26)).repeat(Math.min(9, Math.floor(index / 26) + 1));
};

const values = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
const signs = 'M CM D CD C XC L XL X IX V IV I'.split(' ');

function roman(number: number): string {
  let [text, rest] = ['', Math.min(number, 3_999)];
  for (const [index, value] of values.entries()) {
    for (; rest >= value; rest -= value) text += signs[index];
  }
  return text;
}
