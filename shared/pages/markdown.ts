import { tableRow, tableRule } from '../documents/table-row.ts';
import type { HtmlElement, HtmlNode } from './html-document.ts';
import { blockElements, layoutElements } from './html-elements.ts';

/** Writes an element as simple Markdown: headings, paragraphs, lists, tables, quotes and preformatted text. */
export function markdownOf(element: HtmlElement): string {
  return blocksIn(element).join('\n\n');
}

/** Returns the blocks within an element, such as paragraphs, each without an empty line at its ends. */
function blocksIn(element: HtmlElement): string[] {
  const writer = new BlockWriter();
  writer.addChildren(element);
  return writer.finish();
}

class BlockWriter {
  private readonly blocks: string[] = [];
  /** The text since the last block. */
  private text = '';

  addChildren(element: HtmlElement): void {
    for (const child of element.childNodes) this.add(child);
  }

  finish(): string[] {
    const text = tidy(this.text);
    this.text = '';
    if (text) this.blocks.push(text);
    return this.blocks;
  }

  private add(node: HtmlNode): void {
    if (isText(node)) this.text += node.textContent.replace(/\s+/g, ' ');
    if (!isElement(node) || node.hasAttribute('hidden')) return;
    if (node.localName === 'br') this.text += '\n';
    else if (blockElements.has(node.localName)) this.addBlocks(blocksOf(node));
    else this.addChildren(node);
  }

  private addBlocks(added: string[]): void {
    this.finish();
    for (const block of added) if (block) this.blocks.push(block);
  }
}

/** Returns what a block element is written as. */
function blocksOf(element: HtmlElement): string[] {
  const { localName } = element;
  const level = /^h([1-6])$/.exec(localName)?.[1];
  if (level) return [heading(Number(level), element)];
  if (localName === 'ul' || localName === 'ol') return [listOf(element)];
  if (localName === 'pre') return [fenced(codeIn(element))];
  if (localName === 'blockquote') return [prefixed(markdownOf(element), '> ', '> ')];
  if (localName === 'table' && isTable(element)) return tableOf(element);
  return blocksIn(element);
}

function heading(level: number, element: HtmlElement): string {
  const text = lineOf(element);
  return text && `${'#'.repeat(level)} ${text}`;
}

function listOf(list: HtmlElement): string {
  const items = list.childNodes.filter(isElement).filter((item) => !item.hasAttribute('hidden'));
  const lines = items.flatMap((item, index) => {
    const text = (item.localName === 'li' ? blocksIn(item) : blocksOf(item)).join('\n');
    const bullet = list.localName === 'ol' ? `${index + 1}. ` : '- ';
    return text ? [prefixed(text, bullet, '  ')] : [];
  });
  return lines.join('\n');
}

/** Returns preformatted text, in which highlighters may have put an element on each line. */
function codeIn(element: HtmlElement): string {
  return element.childNodes.map(codeOf).join('');
}

function codeOf(node: HtmlNode): string {
  if (!isElement(node)) return node.textContent;
  if (node.hasAttribute('hidden')) return '';
  const ending = node.localName === 'br' || blockElements.has(node.localName) ? '\n' : '';
  return codeIn(node) + ending;
}

/** A fence is longer than any run of backticks within. */
function fenced(text: string): string {
  const code = text.replace(/^\n+/, '').trimEnd();
  const runs = code.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + runs.reduce((longest, run) => Math.max(longest, run.length), 2));
  return code && `${fence}\n${code}\n${fence}`;
}

function isTable(table: HtmlElement): boolean {
  return !descendants(table).some(({ localName }) => layoutElements.has(localName));
}

/** Returns a table's caption, if it has one, and its rows; the first is taken for the head. */
function tableOf(table: HtmlElement): string[] {
  const inner = descendants(table);
  const captions = inner.filter(({ localName }) => localName === 'caption').map(lineOf);
  const rows = inner
    .filter(({ localName }) => localName === 'tr')
    .map((row) => row.childNodes.filter(isElement).map(lineOf))
    .filter((cells) => cells.some((cell) => cell !== ''));
  const lines = rows.map(tableRow);
  const rule = tableRule(rows[0]?.length ?? 0);
  return [...captions, (lines.length > 1 ? lines.toSpliced(1, 0, rule) : lines).join('\n')];
}

function descendants(element: HtmlElement): HtmlElement[] {
  return element.childNodes.filter(isElement).flatMap((child) => [child, ...descendants(child)]);
}

const lineOf = (element: HtmlElement) => blocksIn(element).join(' ').replace(/\s+/g, ' ');

const prefixed = (text: string, first: string, others: string) =>
  first + text.replaceAll('\n', `\n${others}`);

/** Spaces are single within a line and none at its ends; there are at most two line breaks in a row. */
const tidy = (text: string) =>
  text
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const isElement = (node: HtmlNode): node is HtmlElement => node.nodeType === 1;
const isText = (node: HtmlNode) => node.nodeType === 3;
