import { Readability } from '@mozilla/readability';
import { type HtmlReader, htmlMarkdown } from '../documents/html-markdown.ts';
import {
  type HtmlDocument,
  type HtmlElement,
  type HtmlNode,
  maxCharacters,
  parsePage,
} from './html-document.ts';

/** A shorter article isn't one: Readability has found a teaser or a notice. */
const minArticleCharacters = 200;

/** Returns a page's title as a browser shows it, and its article as Markdown, or all of its text if it has none. */
export function htmlText(html: string): { title: string; text: string } {
  const document = parsePage(html);
  // Readability takes the document apart, so this comes before.
  const { title } = document;
  const all = markdownOf(document.body);
  const article = articleOf(document);
  return { title, text: article.length < minArticleCharacters ? all : article };
}

function articleOf(document: HtmlDocument): string {
  const options = { disableJSONLD: true, serializer: (element: HtmlElement) => element };
  try {
    const article = new Readability<HtmlElement>(document, options).parse();
    return article?.content ? markdownOf(article.content) : '';
  } catch {
    // Readability isn't written for every page that a stranger can think of.
    return '';
  }
}

const markdownOf = (element: HtmlElement) =>
  htmlMarkdown(maxCharacters, (reader) => readChildren(element, reader));

/** Tells a reader of what is in an element, which `parsePage` has kept from being deep. */
function readChildren(element: HtmlElement, reader: HtmlReader): void {
  for (const child of element.childNodes) {
    if (isElement(child)) {
      const { localName } = child;
      reader.open(localName, attributesOf(child));
      readChildren(child, reader);
      reader.close(localName);
    } else if (child.nodeType === 3) reader.text(child.textContent);
  }
}

const attributesOf = ({ attributes }: HtmlElement) =>
  Object.fromEntries(Array.from(attributes, ({ name, value }) => [name, value]));

const isElement = (node: HtmlNode): node is HtmlElement => node.nodeType === 1;
