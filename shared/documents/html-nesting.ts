import type { Margin } from './office/markdown.ts';

/** An open list. Text that stands in it without an item is one by itself. */
interface List {
  /** That of its last item; undefined if it isn't numbered. */
  number: number | undefined;
  item: 'none' | 'new' | 'begun';
  /** Whether the list is there for its one item alone. */
  isImplied?: true;
}

type Container = List | 'quote';

/** Deeper lists and quotes are written as if they stood here: what lines begin with would outgrow the text. */
const maxLevels = 8;

/** The lists and quotes that are open around a page's text, and what the lines in them begin with. */
export class HtmlNesting {
  private readonly open: Container[] = [];
  /** Those around the block before. */
  private before: Container[] = [];

  openQuote(): void {
    this.open.push('quote');
  }

  /** Opens a list; `first` is its first number, if it is numbered. */
  openList(first?: number): void {
    this.open.push({ number: first === undefined ? undefined : first - 1, item: 'none' });
  }

  /** Closes the innermost list or quote. */
  close(): void {
    this.open.pop();
  }

  /** Begins an item; `value` is its number, if it isn't the next one. */
  openItem(value?: number): void {
    const list: List = this.list ?? { number: undefined, item: 'none', isImplied: true };
    if (list !== this.list) this.open.push(list);
    if (list.number !== undefined) list.number = value ?? list.number + 1;
    list.item = 'new';
  }

  closeItem(): void {
    const { list } = this;
    if (list) list.item = 'none';
    if (list?.isImplied) this.close();
  }

  /** Returns what the lines of the next block begin with; undefined if it lies in no list and no quote. */
  margin(): Margin | undefined {
    if (this.open.length === 0) {
      this.before = [];
      return undefined;
    }
    const around = this.open.slice(0, maxLevels);
    const innermost = this.open.at(-1);
    if (innermost && this.open.length > maxLevels) around.push(innermost);
    const apart = around.findIndex((container, at) => container !== this.before[at]);
    const shared = apart < 0 ? around : around.slice(0, apart);
    this.before = around;
    const separator =
      shared.at(-1) === 'quote' || shared.length === 0 ? `\n${restOf(shared)}\n` : '\n';
    return {
      separator,
      first: around.map((each) => firstOf(each, innermost)).join(''),
      rest: restOf(around),
    };
  }

  private get list(): List | undefined {
    const innermost = this.open.at(-1);
    return innermost === 'quote' ? undefined : innermost;
  }
}

const restOf = (containers: Container[]) =>
  containers.map((each) => (each === 'quote' ? '> ' : '  ')).join('');

function firstOf(container: Container, innermost: Container | undefined): string {
  if (container === 'quote') return '> ';
  const { item, number } = container;
  if (item === 'begun' || (item === 'none' && container !== innermost)) return '  ';
  if (item === 'new') container.item = 'begun';
  else if (number !== undefined) container.number = number + 1;
  return container.number === undefined ? '- ' : `${container.number}. `;
}
