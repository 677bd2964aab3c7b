import * as v from 'valibot';
import { truncated } from '../truncated.ts';
import type { SearchAdapter } from './hit.ts';

const maxTokens = 8_192;
const maxUrls = 8;
/** Brave takes no longer query. */
const maxQueryCharacters = 400;
const snippetCharacters = 300;

const Response = v.object({
  grounding: v.object({
    generic: v.optional(
      v.array(
        v.object({
          url: v.string(),
          title: v.optional(v.string(), ''),
          snippets: v.optional(v.array(v.string()), []),
        }),
      ),
      [],
    ),
  }),
});

/**
 * Brave's context for language models: passages of pages, ready to use.
 * @see https://api-dashboard.search.brave.com/documentation/services/llm-context
 */
export const brave: SearchAdapter = {
  baseUrl: 'https://api.search.brave.com',
  request: (query, baseUrl, secret) => {
    const url = new URL('/res/v1/llm/context', baseUrl);
    url.search = new URLSearchParams({
      q: query.slice(0, maxQueryCharacters),
      maximum_number_of_tokens: String(maxTokens),
      maximum_number_of_urls: String(maxUrls),
    }).toString();
    return {
      url,
      init: { headers: { accept: 'application/json', 'x-subscription-token': secret } },
    };
  },
  hits: (response) =>
    v
      .parse(Response, response)
      .grounding.generic.map(({ url, title, snippets }) => ({
        title,
        url,
        snippet: truncated(snippets[0] ?? '', snippetCharacters),
        passages: snippets,
      })),
};
