import pLimit from 'p-limit';
import { unlessHidden } from '../drive/errors.ts';
import { getReadableItem, toDriveFile } from '../drive/file.ts';
import { type Access, accessUnder, folderType, type Item, shortcutType } from '../drive/item.ts';
import { isOwnResult } from '../drive/result.ts';
import { NotFoundError } from '../http/errors.ts';
import { type DocumentHit, hitOf, maxHits } from './drive-documents.ts';
import { batchesOf, listIn } from './drive-listing.ts';
import { foldersUnder, forgetFolders } from './folder-tree.ts';
import { phrasingsOf, quoted } from './phrasings.ts';
import { fuseRankings } from './rank-fusion.ts';

/** Beneath the function's timeout, so that its caller learns of it. */
const timeLimitMs = 25_000;
const maxQueries = 6;
const requestsAtOnce = 6;
/** Results of one request. More than are returned, because own results and duplicates fall away. */
const maxResults = 50;
/** How many documents are looked at until enough are found that the key may read. */
const maxCandidates = 3 * maxHits;

/**
 * Returns up to 20 documents under a key's folders that match one of up to six queries, the best first, each checked
 * by the access rule. Throws what `callDrive` throws, and `signal`'s reason after 25 s.
 */
export async function searchDocuments(
  allowedFolders: readonly string[],
  queries: readonly string[],
  signal = AbortSignal.timeout(timeLimitMs),
): Promise<DocumentHit[]> {
  try {
    return await search(allowedFolders, queries, signal);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    // A folder is gone since the tree was read.
    forgetFolders(allowedFolders);
    return search(allowedFolders, queries, signal);
  }
}

async function search(
  allowedFolders: readonly string[],
  queries: readonly string[],
  signal: AbortSignal,
): Promise<DocumentHit[]> {
  const phrasings = new Set(queries.slice(0, maxQueries).flatMap(phrasingsOf));
  if (phrasings.size === 0) return [];
  const batches = batchesOf(await foldersUnder(allowedFolders, signal));
  const requests = [...phrasings].flatMap((phrasing) =>
    batches.map((batch) => ({ batch, condition: conditionFor(phrasing) })),
  );
  const rankings = await pLimit(requestsAtOnce).map(requests, ({ batch, condition }) =>
    listIn(batch, condition, maxResults, signal),
  );
  const items = new Map(rankings.flat().map((item) => [item.id, item]));
  const ranked = fuseRankings(rankings.map((ranking) => ranking.map(({ id }) => id)));
  return readableHits(
    ranked.flatMap((id) => items.get(id) ?? []),
    accessUnder(allowedFolders),
  );
}

const conditionFor = (phrasing: string) =>
  `fullText contains ${quoted(phrasing)} and mimeType != '${folderType}'`;

/** Returns the first documents that may be read, each once. */
async function readableHits(ranked: Item[], isReadable: Access): Promise<DocumentHit[]> {
  const hits = new Map<string, DocumentHit>();
  for (let at = 0; at < maxCandidates && hits.size < maxHits; at += maxHits) {
    const candidates = ranked.slice(at, Math.min(at + maxHits, maxCandidates));
    const found = await Promise.all(candidates.map((item) => readableItem(item, isReadable)));
    for (const item of found) {
      if (!item || item.mimeType === folderType || isOwnResult(toDriveFile(item))) continue;
      if (hits.size < maxHits && !hits.has(item.id)) hits.set(item.id, hitOf(item));
    }
  }
  return [...hits.values()];
}

/** Returns the item, or the target of a shortcut; undefined if the key may not read it. */
async function readableItem(item: Item, isReadable: Access): Promise<Item | undefined> {
  if (item.mimeType !== shortcutType) return (await isReadable(item)) ? item : undefined;
  return unlessHidden(getReadableItem(item.id, isReadable));
}
