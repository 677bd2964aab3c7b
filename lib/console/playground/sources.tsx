import type { Source } from '../../../shared/chat/chat-event.ts';
import { isOfTheWeb } from '../parts/markdown.tsx';

/** The sources of an answer as footnotes, by the numbers that it cites them by. */
export function Sources({ sources, idOf }: { sources: Source[]; idOf(n: number): string }) {
  if (sources.length === 0) return null;
  return (
    <section class="sources" aria-label="Sources">
      {sources.map(({ n, title, url, site, snippet }) => (
        <details key={n} id={idOf(n)}>
          <summary>
            [{n}] {title} <small>{site}</small>
          </summary>
          {snippet && <p>{snippet}</p>}
          {isOfTheWeb(url) ? (
            <a href={url} target="_blank" rel="noopener noreferrer">
              {url}
            </a>
          ) : (
            <p>{url}</p>
          )}
        </details>
      ))}
    </section>
  );
}

/** Opens a footnote, and brings the keyboard there. */
export function openSource(id: string): void {
  const footnote = document.getElementById(id);
  if (!(footnote instanceof HTMLDetailsElement)) return;
  footnote.open = true;
  footnote.querySelector('summary')?.focus();
}
