import { termOf, wordsIn } from './terms.ts';

const maxSnippetCharacters = 300;
/** The words searched for lie within as many characters; the rest of the snippet leads up to them. */
const maxSpan = 240;
const leadCharacters = maxSnippetCharacters - maxSpan;

interface Hit {
  term: string;
  start: number;
  end: number;
}

/** Returns the part of a text, as one line, that has most of the terms; its beginning if it has none. */
export function snippetOf(text: string, terms: ReadonlySet<string>): string {
  const hits: Hit[] = wordsIn(text).flatMap(({ 0: word, index }) => {
    const term = termOf(word);
    return term !== null && terms.has(term) ? { term, start: index, end: index + word.length } : [];
  });
  const bestStart = bestHit(hits)?.start ?? 0;
  const start = bestStart <= leadCharacters ? 0 : wordStart(text, bestStart - leadCharacters);
  return excerpt(text, start);
}

/** Returns the hit after which the most valuable terms follow closely. A term that the text repeats is worth less. */
function bestHit(hits: readonly Hit[]): Hit | undefined {
  const counts = new Map<string, number>();
  for (const { term } of hits) counts.set(term, (counts.get(term) ?? 0) + 1);
  let best: { hit: Hit; worth: number } | undefined;
  for (const [index, hit] of hits.entries()) {
    const near = new Set<string>();
    for (let at = index; at < hits.length; at += 1) {
      const other = hits[at];
      if (!other || other.end - hit.start > maxSpan) break;
      near.add(other.term);
    }
    const worth = [...near].reduce((sum, term) => sum + 1 / (counts.get(term) ?? 1), 0);
    if (!best || worth > best.worth) best = { hit, worth };
  }
  return best?.hit;
}

/** Returns where the first word begins that begins after a position. */
function wordStart(text: string, position: number): number {
  const space = text.indexOf(' ', position);
  return space === -1 || space - position > leadCharacters ? position : space + 1;
}

function excerpt(text: string, start: number): string {
  const rest = text.slice(start);
  const isWhole = rest.length <= maxSnippetCharacters;
  const end = isWhole ? rest.length : rest.lastIndexOf(' ', maxSnippetCharacters);
  const part = rest.slice(0, end > 0 ? end : maxSnippetCharacters).trim();
  return `${start > 0 ? '… ' : ''}${part}${isWhole ? '' : ' …'}`;
}
