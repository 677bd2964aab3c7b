import { askDrive } from '../../connectors/ask-drive.ts';
import { type HeldSearch, holdSearch, search, searchPriceNanoUsd } from '../../search/search.ts';
import type { Turn } from '../turn.ts';
import { type Found, fuse, pageKey } from './found.ts';

/** Searches the web for all queries at once; one may be held already. Throws the first failure only if none succeeds. */
export async function searchWeb(turn: Turn, queries: (string | HeldSearch)[]): Promise<Found[]> {
  const outcomes = await Promise.allSettled(queries.map((query) => searchOnce(turn, query)));
  const lists = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failure = outcomes.find((one) => one.status === 'rejected');
  if (failure && lists.length === 0) throw failure.reason;
  return fuse(lists);
}

async function searchOnce(
  { caller, request: { metadata }, usage, signal }: Turn,
  query: string | HeldSearch,
): Promise<Found[]> {
  const held =
    typeof query === 'string' ? await holdSearch(caller.keyId, query, { metadata }) : query;
  const hits = await search(held, signal);
  usage.addSearch(searchPriceNanoUsd());
  return hits.map((hit) => ({ ...hit, key: pageKey(hit.url), site: new URL(hit.url).host }));
}

/** Searches the key's Drive folders; the best come first. Throws a 503 `ServiceError` if Drive doesn't answer. */
export async function searchDrive(
  { caller, signal }: Turn,
  folders: string[],
  queries: string[],
): Promise<Found[]> {
  const question = { ask: 'search' as const, keyId: caller.keyId, folders, queries };
  const { hits } = await askDrive(question, signal);
  return hits.map(({ id, title, url }) => ({
    key: `drive:${id}`,
    title,
    url,
    site: 'Google Drive',
    snippet: '',
    passages: [],
    documentId: id,
  }));
}
