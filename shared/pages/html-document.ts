import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { parseHTML } from 'linkedom';
import { isHiding } from '../documents/html-elements.ts';
import {
  droppedElements,
  emptyElements,
  endedBy,
  ignoredElements,
  keptAttributes,
} from './html-elements.ts';

/** The part of the DOM that is used here: linkedom's own types are a browser's, which this project leaves out. */
export interface HtmlNode {
  /** 1 for an element, 3 for text. */
  nodeType: number;
  textContent: string;
}

export interface HtmlElement extends HtmlNode {
  innerHTML: string;
  appendChild(child: HtmlNode): void;
  setAttribute(name: string, value: string): void;
}

export interface HtmlDocument {
  title: string;
  head: HtmlElement;
  body: HtmlElement;
  createElement(name: string): HtmlElement;
  createTextNode(text: string): HtmlNode;
}

/** The bounds of a page; the rest is cut off. The returned text seldom takes a quarter of them. */
const maxTags = 200_000;
const maxElements = 10_000;
export const maxCharacters = 200_000;
/** Deeper elements dissolve in the one above, with their text kept. Browsers stop at 512. */
const maxDepth = 64;
const maxAttributeCharacters = 300;
const maxTitleCharacters = 300;

/** Makes a small document for Readability: no scripts, few attributes, bounded in size and depth, in linear time. */
export function parsePage(html: string): HtmlDocument {
  const builder = new Builder(html);
  const tokenizer = new Tokenizer({}, builder);
  builder.stop = () => tokenizer.pause();
  tokenizer.write(html);
  tokenizer.end();
  return builder.finish();
}

/** Builds the document from the tokenizer's tokens, which it is given as positions in the HTML. */
class Builder implements TokenizerCallbacks {
  stop = () => {};
  private readonly html: string;
  private readonly document: HtmlDocument;
  private readonly open: { name: string; element: HtmlElement }[];
  /** How many elements are open beyond `maxDepth`. */
  private tooDeep = 0;
  /** Whether there is text since the last element that was dissolved into a line break. */
  private isInLine = false;
  /** The element that is being left out, and how many of its name are open. */
  private leftOut: { name: string; count: number } | undefined;
  private tags = 0;
  private elements = 0;
  private characters = 0;
  private text = '';
  private title: string | undefined;
  private isInTitle = false;
  private tag = '';
  private attribute = '';
  private value = '';
  private attributes = new Map<string, string>();

  constructor(html: string) {
    this.html = html;
    ({ document: this.document } = parseHTML('<html><head></head><body></body></html>'));
    this.open = [{ name: '', element: this.document.body }];
  }

  finish(): HtmlDocument {
    this.addTextNode();
    this.document.title = this.title?.trim() ?? '';
    return this.document;
  }

  ontext(start: number, end: number): void {
    this.addText(this.html.slice(start, Math.min(end, start + maxCharacters)));
  }

  ontextentity(codePoint: number): void {
    this.addText(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.tag = this.nameAt(start, end);
    this.attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.attribute = this.nameAt(start, end);
    this.value = '';
  }

  onattribdata(start: number, end: number): void {
    const room = maxAttributeCharacters - this.value.length;
    this.value += this.html.slice(start, Math.min(end, start + room));
  }

  onattribentity(codePoint: number): void {
    if (this.value.length < maxAttributeCharacters) this.value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    const { attribute, value } = this;
    if (keptAttributes.has(attribute)) this.attributes.set(attribute, value);
    if (attribute === 'hidden' || (attribute === 'style' && isHiding(value))) {
      this.attributes.set('hidden', '');
    }
  }

  onopentagend(): void {
    const { tag } = this;
    this.countTag();
    if (this.leftOut) this.leftOut.count += this.leftOut.name === tag ? 1 : 0;
    else if (tag === 'title') this.isInTitle = this.title === undefined;
    else if (droppedElements.has(tag)) this.leftOut = { name: tag, count: 1 };
    else if (tag === 'meta') this.append(this.document.head, 'meta');
    else if (!ignoredElements.has(tag)) this.begin();
  }

  /** In HTML that means something in an SVG only, but pages may be written in XHTML. */
  onselfclosingtag(): void {
    this.onopentagend();
    if (droppedElements.has(this.tag)) this.end(this.tag);
  }

  onclosetag(start: number, end: number): void {
    this.countTag();
    this.end(this.nameAt(start, end));
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  /** Longer names are none that mean anything here. The signs of tags in an `xmp` are text, which another parser reads. */
  private nameAt(start: number, end: number): string {
    const name = this.html.slice(start, Math.min(end, start + 20)).toLowerCase();
    return name === 'xmp' ? 'pre' : name;
  }

  private countTag(): void {
    this.tags += 1;
    if (this.tags >= maxTags) this.stop();
  }

  private addText(text: string): void {
    if (this.isInTitle) this.title = ((this.title ?? '') + text).slice(0, maxTitleCharacters);
    else if (!this.leftOut) {
      this.text += text;
      if (this.text.length > maxCharacters) this.addTextNode();
    }
  }

  private begin(): void {
    const { tag } = this;
    this.addTextNode();
    const ended = endedBy(tag);
    while (this.tooDeep === 0 && ended?.has(this.top.name)) this.open.pop();
    if (this.open.length <= maxDepth) {
      const element = this.append(this.top.element, /^[a-z][a-z0-9]*$/.test(tag) ? tag : 'span');
      if (!emptyElements.has(tag)) this.open.push({ name: tag, element });
    } else {
      if (ended && this.isInLine) this.append(this.top.element, 'br');
      this.isInLine &&= !ended;
      if (!emptyElements.has(tag)) this.tooDeep += 1;
    }
  }

  private end(name: string): void {
    if (this.leftOut) this.endLeftOut(name);
    else if (name === 'title') this.isInTitle = false;
    else if (!ignoredElements.has(name) && !emptyElements.has(name)) {
      this.addTextNode();
      if (this.tooDeep > 0) this.tooDeep -= 1;
      else {
        const index = this.open.findLastIndex((open) => open.name === name);
        if (index > 0) this.open.length = index;
      }
    }
  }

  private endLeftOut(name: string): void {
    if (this.leftOut?.name !== name) return;
    this.leftOut.count -= 1;
    if (this.leftOut.count === 0) this.leftOut = undefined;
  }

  private append(parent: HtmlElement, name: string): HtmlElement {
    const element = this.document.createElement(name);
    for (const [attribute, value] of this.attributes) element.setAttribute(attribute, value);
    parent.appendChild(element);
    this.elements += 1;
    if (this.elements >= maxElements) this.stop();
    return element;
  }

  private addTextNode(): void {
    if (this.text === '') return;
    const isPreformatted = this.open.some(({ name }) => name === 'pre');
    const text = isPreformatted ? this.text : this.text.replace(/\s+/g, ' ');
    this.text = '';
    const room = maxCharacters - this.characters;
    if (room <= 0) return;
    this.top.element.appendChild(this.document.createTextNode(text.slice(0, room)));
    this.characters += text.length;
    this.isInLine ||= text.trim() !== '';
    if (this.characters >= maxCharacters) this.stop();
  }

  private get top() {
    return this.open.at(-1) as (typeof this.open)[number];
  }
}
