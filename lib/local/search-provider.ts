import { urlFrom } from './url-from.ts';

/** What searches the web for the functions. */
export interface SearchProvider {
  name: 'searxng' | 'brave' | 'tavily';
  /** A SearXNG's URL. Without one the stage's own SearXNG searches the folder `web`. */
  url?: string;
  /** The key for Brave or Tavily. */
  key?: string;
}

/** Returns the provider that the machine's environment names; without one, the stage's own. Throws `StageError`. */
export function searchProvider(environment = process.env): SearchProvider {
  const { BRAVE_API_KEY, TAVILY_API_KEY } = environment;
  const url = urlFrom('SEARXNG_URL', environment);
  if (url) return { name: 'searxng', url };
  if (BRAVE_API_KEY) return { name: 'brave', key: BRAVE_API_KEY };
  if (TAVILY_API_KEY) return { name: 'tavily', key: TAVILY_API_KEY };
  return { name: 'searxng' };
}

/** Stands for the stage's own SearXNG in the template: it has no address before it runs. */
const ownUrl = 'http://127.0.0.1';

/** Returns the CDK context that has the app use a provider. */
export function searchContext({ name, url }: SearchProvider): Record<string, string> {
  if (name !== 'searxng') return { 'quire:search': name };
  return { 'quire:search': name, 'quire:searchUrl': url ?? ownUrl };
}
