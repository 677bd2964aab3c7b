import * as v from 'valibot';

/** A result of a web search. */
export interface SearchHit {
  title: string;
  url: string;
  snippet: string;
  /** Passages of the page, from a provider that extracts them; else none, and the page is to be read. */
  passages: string[];
}

/** How one provider is asked, and how its response is read. */
export interface SearchAdapter {
  /** Where its API is, unless a setting says otherwise. */
  baseUrl?: string;
  request(query: string, baseUrl: string, secret: string): { url: URL; init?: RequestInit };
  /** Reads the parsed response. Throws if it is none. */
  hits(response: unknown): SearchHit[];
}

const WebUrl = v.pipe(v.string(), v.regex(/^https?:\/\//));

/** Whether a result leads to a page of the web. */
export const isWebUrl = (url: string) => v.is(WebUrl, url);
