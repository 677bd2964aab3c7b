import { Readability } from '@mozilla/readability';
import { htmlText as markdownOf } from '../documents/html-text.ts';
import { type HtmlDocument, maxCharacters, parsePage } from './html-document.ts';

/** A shorter article isn't one: Readability has found a teaser or a notice. */
const minArticleCharacters = 200;

/** Returns a page's title as a browser shows it, and its article as Markdown, or all of its text if it has none. */
export function htmlText(html: string): { title: string; text: string } {
  const document = parsePage(html);
  // Readability takes the document apart, so this comes before.
  const { title } = document;
  const all = markdownOf(document.body.innerHTML, maxCharacters);
  const article = markdownOf(articleIn(document), maxCharacters);
  return { title, text: article.length < minArticleCharacters ? all : article };
}

function articleIn(document: HtmlDocument): string {
  try {
    return new Readability(document, { disableJSONLD: true }).parse()?.content ?? '';
  } catch {
    // Readability isn't written for every page that a stranger can think of.
    return '';
  }
}
