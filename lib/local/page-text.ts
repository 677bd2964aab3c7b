import { PDFiumLibrary } from '@hyzyla/pdfium';
import { DomUtils, parseDocument } from 'htmlparser2';

let library: Promise<PDFiumLibrary> | undefined;

/** Returns the text of a PDF's pages. Throws if it is damaged or encrypted. */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  library ??= PDFiumLibrary.init();
  const document = await (await library).loadDocument(bytes);
  try {
    return [...document.pages()].map((page) => page.getText()).join('\n');
  } finally {
    document.destroy();
  }
}

const { findOne, getName, isTag, isText, textContent } = DomUtils;

type Node = ReturnType<typeof parseDocument>['children'][number];

/** What these hold is no text of the page. */
const hidden = new Set(['script', 'style', 'noscript', 'template', 'svg', 'title']);
/** These stand within a line. Any other element ends a word. */
const inline = new Set(
  `a abbr b bdi bdo cite code data dfn em i kbd mark q s samp small span strong sub sup time u var
  wbr`.split(/\s+/),
);

/** Reads a page's title, or its first heading, and the text that a browser shows. */
export function htmlText(html: string): { title: string; text: string } {
  const { children } = parseDocument(html);
  const title = findOne((element) => getName(element) === 'title', children);
  const heading = findOne((element) => /^h[1-6]$/.test(getName(element)), children);
  return {
    title: textContent(title ?? []).trim() || textContent(heading ?? []),
    text: textOf(children),
  };
}

function textOf(nodes: Node[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.data;
      if (!isTag(node) || hidden.has(node.name)) return '';
      const inside = textOf(node.children);
      return inline.has(node.name) ? inside : ` ${inside} `;
    })
    .join('');
}
