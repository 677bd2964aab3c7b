import { useEffect, useRef } from 'preact/hooks';
import * as markdown from 'streaming-markdown';

type Nodes = ReturnType<typeof markdown.default_renderer>['data'];

export interface MarkdownProps {
  text: string;
  isWhole: boolean;
  /** Opens the source that the text cites as `[n]`. */
  openSource?(n: number): void;
}

/**
 * Shows a model's Markdown as it grows. The parser knows no HTML; only links to the web are followed, and an image is
 * a link, as loading it would tell its host.
 */
export function Markdown({ text, isWhole, openSource }: MarkdownProps) {
  const element = useRef<HTMLDivElement>(null);
  const state = useRef<{ parser: markdown.Parser; written: string } | undefined>(undefined);

  useEffect(() => {
    if (!element.current) return;
    if (!state.current || !text.startsWith(state.current.written)) {
      element.current.textContent = '';
      state.current = {
        parser: markdown.parser(rendererInto(element.current, openSource)),
        written: '',
      };
    }
    const { parser: into, written } = state.current;
    if (text.length > written.length) markdown.parser_write(into, text.slice(written.length));
    state.current.written = text;
    if (isWhole) markdown.parser_end(into);
  }, [text, isWhole]);

  return <div ref={element} class="markdown" />;
}

function rendererInto(element: HTMLElement, openSource: MarkdownProps['openSource']) {
  return {
    ...markdown.default_renderer(element),
    end_token: (nodes: Nodes) => {
      const ended = nodes.nodes[nodes.index];
      if (ended instanceof HTMLAnchorElement && !ended.href)
        ended.replaceWith(brackets(ended, openSource));
      markdown.default_end_token(nodes);
    },
    add_token: (nodes: Nodes, token: number) =>
      markdown.default_add_token(
        nodes,
        (token === markdown.IMAGE ? markdown.LINK : token) as typeof markdown.LINK,
      ),
    add_text: markdown.default_add_text,
    set_attr: setAttribute,
  };
}

/** The parser takes all text in brackets for a link. One that leads nowhere is text again, or cites a source. */
function brackets(link: HTMLAnchorElement, openSource: MarkdownProps['openSource']): Node {
  const content = link.textContent ?? '';
  if (openSource && /^\d+$/.test(content)) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'cite';
    button.textContent = `[${content}]`;
    button.addEventListener('click', () => openSource(Number(content)));
    return button;
  }
  const text = document.createElement('span');
  text.append('[', ...link.childNodes, ']');
  return text;
}

/** Sets an attribute of the element that is being written, if it is harmless. */
function setAttribute(nodes: Nodes, attribute: markdown.Attr, value: string): void {
  if (attribute !== markdown.HREF && attribute !== markdown.SRC) {
    markdown.default_set_attr(nodes, attribute, value);
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
