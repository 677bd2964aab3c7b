import { Readability } from '@mozilla/readability';
import { type HtmlDocument, type HtmlElement, parsePage } from './html-document.ts';
import { markdownOf } from './markdown.ts';

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
