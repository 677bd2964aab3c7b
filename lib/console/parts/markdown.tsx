import { useEffect, useRef } from 'preact/hooks';
import {
  type Attr,
  default_add_text,
  default_add_token,
  default_renderer,
  default_set_attr,
  HREF,
  IMAGE,
  LINK,
  type Parser,
  parser,
  parser_end,
  parser_write,
  SRC,
} from 'streaming-markdown';

type Nodes = ReturnType<typeof default_renderer>['data'];

/**
 * Shows Markdown that a model wrote, as it grows: what is new is appended, and nothing is built again. The parser
 * knows no HTML, so tags stay text. Of its links only those to the web are followed, and an image is a link to it:
 * loading it would tell its host who reads.
 */
export function Markdown({ text, isWhole }: { text: string; isWhole: boolean }) {
  const element = useRef<HTMLDivElement>(null);
  const state = useRef<{ parser: Parser; written: string } | undefined>(undefined);

  useEffect(() => {
    if (!element.current) return;
    if (!state.current || !text.startsWith(state.current.written)) {
      element.current.textContent = '';
      state.current = { parser: parser(rendererInto(element.current)), written: '' };
    }
    const { parser: into, written } = state.current;
    if (text.length > written.length) parser_write(into, text.slice(written.length));
    state.current.written = text;
    if (isWhole) parser_end(into);
  }, [text, isWhole]);

  return <div ref={element} class="markdown" />;
}

function rendererInto(element: HTMLElement) {
  return {
    ...default_renderer(element),
    add_token: (nodes: Nodes, token: number) =>
      default_add_token(nodes, (token === IMAGE ? LINK : token) as typeof LINK),
    add_text: default_add_text,
    set_attr: setAttribute,
  };
}

/** Sets an attribute of the element that is being written, if it is harmless. */
function setAttribute(nodes: Nodes, attribute: Attr, value: string): void {
  if (attribute !== HREF && attribute !== SRC) {
    default_set_attr(nodes, attribute, value);
    return;
  }
  const link = nodes.nodes[nodes.index] as HTMLAnchorElement;
  if (!isOfTheWeb(value)) return;
  link.href = value;
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
}

/** Whether an address leads to a page of the web, and not to a script or into this page. */
export function isOfTheWeb(address: string): boolean {
  try {
    return /^https?:$/.test(new URL(address).protocol);
  } catch {
    return false;
  }
}
