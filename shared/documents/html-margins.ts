import type { Margin } from './markdown.ts';

/** A list, an item or a quote, and what its next line and all others begin with. */
interface Container {
  is: 'list' | 'item' | 'quote';
  next: string;
  rest: string;
  /** The number of a list's last item; undefined for a list without numbers. */
  number?: number | undefined;
}

/** The most containers that indent a line: the indents of more would outgrow the text. */
const maxContainers = 16;

/** The lists, items and quotes that are open around a page's text, and what lines in them begin with. */
export class HtmlMargins {
  private readonly open: Container[] = [];
  /** How many of them are around the block before as well. */
  private shared = 0;

  get depth(): number {
    return this.open.length;
  }

  openQuote(): void {
    this.open.push({ is: 'quote', next: '> ', rest: '> ' });
  }

  /** Opens a list; `first` is its first number, if it is numbered. One within a list, but in no item, is indented by itself. */
  openList(first?: number): void {
    const rest = this.open.at(-1)?.is === 'list' ? '  ' : '';
    const number = first === undefined ? undefined : first - 1;
    this.open.push({ is: 'list', next: rest, rest, number });
  }

  /** Opens an item; `value` is its number, if it isn't the next one. */
  openItem(value?: number): void {
    const list = this.open.at(-1);
    if (list?.number !== undefined) list.number = value ?? list.number + 1;
    const next = list?.number === undefined ? '- ' : `${list.number}. `;
    this.open.push({ is: 'item', next, rest: '  ' });
  }

  /** Closes what was opened deeper than this. */
  closeTo(depth: number): void {
    this.open.length = depth;
    this.shared = Math.min(this.shared, depth);
  }

  /** Returns the next block's margin. If it continues the block before, this many line breaks lie between. */
  next(lineBreaks?: number): Margin {
    const { open, shared, depth } = this;
    // Content of a list outside of its items is an item by itself.
    if (open.at(-1)?.is === 'list') this.openItem();
    const isDeep = open.length > maxContainers;
    const shown = isDeep ? [...open.slice(0, maxContainers), ...open.slice(-1)] : open;
    const first = shown.map(({ next }) => next).join('');
    const rest = shown.map((each) => each.rest);
    const isInList = shared > 0 && open[shared - 1]?.is !== 'quote';
    const isTight = lineBreaks === undefined ? isInList : lineBreaks < 2;
    const separator = isTight ? '\n' : `\n${rest.slice(0, shared).join('')}\n`;
    for (const each of shown) each.next = each.rest;
    this.shared = open.length;
    this.closeTo(depth);
    return { separator, first, rest: rest.join('') };
  }
}
