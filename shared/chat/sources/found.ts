import { fuseRankings } from '../../connectors/rank-fusion.ts';

/** A page or a document that a search found. */
export interface Found {
  /** The same for the same page or document, whichever query found it: a cleaned URL, or `drive:<id>`. */
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
  const path = pathname.replace(/(?<!\/)\/+$/, '');
  return `${host.replace(/^www\./, '')}${path}?${searchParams}`;
}

/** Joins the results of several queries into one list by their ranks, each result once, the best first. */
export function fuse(lists: Found[][]): Found[] {
  const byKey = Map.groupBy(lists.flat(), ({ key }) => key);
  const ranking = fuseRankings(lists.map((list) => list.map(({ key }) => key)));
  return ranking.flatMap((key) => merged(byKey.get(key) ?? []));
}

/** Makes one of the same result of several queries, with the passages of all. */
function merged([first, ...others]: Found[]): Found[] {
  if (!first) return [];
  const passages = [first, ...others].flatMap((found) => found.passages);
  return [{ ...first, passages: [...new Set(passages)] }];
}
