import { DomUtils, parseDocument } from 'htmlparser2';

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
export function readHtml(html: string): { title: string; text: string } {
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
