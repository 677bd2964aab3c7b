import { Parser } from 'htmlparser2';
import { htmlMarkdown } from './html-markdown.ts';
import { decodeText } from './text.ts';

/** How XHTML begins. An element in it may close itself; in HTML the same signs mean nothing. */
const xhtml = /^\s*<\?xml|xmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml/;

/** Returns the text of an HTML file as Markdown. Throws what `HtmlReader` throws. */
export function htmlText(html: string, maxCharacters: number): string {
  const isXhtml = xhtml.test(html.slice(0, 2_000));
  return htmlMarkdown(maxCharacters, (reader) => {
    const parser = new Parser(
      {
        onopentag: (name, attributes) => reader.open(name, attributes),
        ontext: (text) => reader.text(text),
        onclosetag: (name) => reader.close(name),
      },
      { recognizeSelfClosing: isXhtml, recognizeCDATA: isXhtml },
    );
    parser.end(html);
  });
}

/** Where a page may name its encoding. */
const encodingPlace = 1_024;

/** Decodes a page's bytes: by their mark, as UTF-8 where they are that, else by the encoding that the page names. */
export function decodeHtml(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, encodingPlace);
  const named = start.match(/(?:charset|encoding)\s*=\s*["']?\s*([\w:-]+)/i)?.[1];
  return decodeText(bytes, named);
}
