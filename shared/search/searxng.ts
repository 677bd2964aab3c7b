import * as v from 'valibot';
import type { SearchAdapter } from './hit.ts';

const Response = v.object({
  results: v.array(
    v.object({
      title: v.string(),
      url: v.string(),
      content: v.optional(v.nullable(v.string()), ''),
    }),
  ),
});

/**
 * SearXNG, a search engine for oneself. It must be given JSON among its formats, else it answers 403.
 * @see https://docs.searxng.org/dev/search_api.html
 */
export const searxng: SearchAdapter = {
  request: (query, baseUrl) => {
    const url = new URL('search', baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
    url.search = new URLSearchParams({ q: query, format: 'json' }).toString();
    return { url };
  },
  hits: (response) =>
    v
      .parse(Response, response)
      .results.map(({ title, url, content }) => ({
        title,
        url,
        snippet: content ?? '',
        passages: [],
      })),
};
