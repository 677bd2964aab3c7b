import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startWebServer, type WebEngine } from '../../../lib/local/web/web-server.ts';

/** A web over an empty folder of its own; `close` removes it. */
export interface TestWeb extends WebEngine {
  folder: string;
  /** Writes a file into the folder, as its user would. */
  put(path: string, content?: string | Uint8Array): void;
  search(query: string): Promise<SearchResponse>;
}

/** What SearXNG answers. */
export interface SearchResponse {
  query: string;
  number_of_results: number;
  results: { url: string; title: string; content: string; score: number }[];
}

export async function startTestWeb(): Promise<TestWeb> {
  const base = mkdtempSync(join(tmpdir(), 'quire-web-'));
  const folder = join(base, 'web');
  const server = await startWebServer({ folder });
  return {
    ...server,
    folder,
    put: (path, content = '') => {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    },
    search: (query) => search(server.searchUrl, query),
    close: async () => {
      await server.close();
      rmSync(base, { recursive: true });
    },
  };
}

/** Searches as a client of SearXNG does. */
export async function search(url: string, q: string): Promise<SearchResponse> {
  const response = await fetch(`${url}/search?${new URLSearchParams({ q, format: 'json' })}`);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as SearchResponse;
}

/** Returns the paths of the pages that a search found, in their order. */
export const pathsOf = ({ results }: SearchResponse) =>
  results.map(({ url }) => decodeURIComponent(new URL(url).pathname).replace('/pages/', ''));
