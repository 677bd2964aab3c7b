/** A page or a document that a search found. */
export interface Found {
  /** Tells it from others, whichever query found it. */
  key: string;
  title: string;
  url: string;
  /** The host of its page, or `Google Drive`. */
  site: string;
  snippet: string;
  /** What the search provider extracted of a page; none if it has to be read. */
  passages: string[];
  /** Drive's id of a document; a page has none. */
  documentId?: string;
}

/** Parameters that say how a reader came to a page, and not which page it is. */
const tracking = /^(utm_\w+|gclid|fbclid|msclkid)$/;

/** Returns a page's URL in one form, so that the same page is known again under slightly different URLs. */
export function pageKey(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  for (const name of [...searchParams.keys()]) if (tracking.test(name)) searchParams.delete(name);
  searchParams.sort();
  const path = pathname.replace(/\/+$/, '');
  return `${host.replace(/^www\./, '')}${path}?${searchParams}`;
}

/** The usual constant of reciprocal rank fusion. */
const k = 60;

/**
 * Joins the results of several queries into one list by their ranks, each result once, the best first.
 *
 * @see https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf
 */
export function fuse(lists: Found[][]): Found[] {
  const byKey = new Map<string, { found: Found; score: number }>();
  for (const list of lists) {
    for (const [rank, found] of list.entries()) {
      const same = byKey.get(found.key);
      const score = (same?.score ?? 0) + 1 / (k + rank + 1);
      byKey.set(found.key, { found: same ? merged(same.found, found) : found, score });
    }
  }
  return [...byKey.values()].sort((a, b) => b.score - a.score).map(({ found }) => found);
}

const merged = (found: Found, { passages }: Found): Found => ({
  ...found,
  passages: [...new Set([...found.passages, ...passages])],
});
