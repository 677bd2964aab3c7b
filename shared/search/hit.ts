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

/** Whether a result leads to a page of the web. Providers also have addresses that are none. */
export const isWebUrl = (url: string) => /^https?:\/\//.test(url) && URL.canParse(url);
