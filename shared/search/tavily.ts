import * as v from 'valibot';
import type { SearchAdapter } from './hit.ts';

const maxResults = 8;

const Response = v.object({
  results: v.array(
    v.object({ title: v.string(), url: v.string(), content: v.optional(v.string(), '') }),
  ),
});

/**
 * Tavily. Its results carry the passage that fits the query best; the pages are read for more.
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
export const tavily: SearchAdapter = {
  baseUrl: 'https://api.tavily.com',
  request: (query, baseUrl, secret) => ({
    url: new URL('/search', baseUrl),
    init: {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ query, search_depth: 'basic', max_results: maxResults }),
    },
  }),
  hits: (response) =>
    v
      .parse(Response, response)
      .results.map(({ title, url, content }) => ({ title, url, snippet: content, passages: [] })),
};
