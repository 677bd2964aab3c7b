import * as v from 'valibot';
import { callDrive } from './call.ts';
import { requestTimeoutMs } from './client.ts';
import { Item, itemFields, parseResponse } from './item.ts';

const Page = v.object({ files: v.array(Item), nextPageToken: v.optional(v.string()) });

const maxPageSize = 1_000;

/** The drive that files are listed in, if it is a shared one, and where to go on. */
interface Listing {
  pageToken?: string | undefined;
  driveId?: string | undefined;
  signal?: AbortSignal;
}

/** Lists the files that meet a condition, page by page, up to `maxItems`. Throws as `callDrive` does. */
export async function listUpTo(
  maxItems: number,
  condition: string,
  { pageToken, ...listing }: Listing,
): Promise<Item[]> {
  const page = await listFiles(Math.min(maxItems, maxPageSize), condition, {
    ...listing,
    pageToken,
  });
  const left = maxItems - page.files.length;
  if (!page.nextPageToken || left <= 0) return page.files.slice(0, maxItems);
  const rest = await listUpTo(left, condition, { ...listing, pageToken: page.nextPageToken });
  return [...page.files, ...rest];
}

/**
 * Lists a page of the files that meet a condition, in a shared drive or a My Drive. Throws as `callDrive` does.
 * @see https://developers.google.com/workspace/drive/api/guides/search-files
 */
export async function listFiles(
  pageSize: number,
  condition: string,
  { pageToken, driveId, signal }: Listing,
) {
  const { data } = await callDrive(
    ({ files }) =>
      files.list(
        {
          q: `${condition} and trashed = false`,
          fields: `nextPageToken,files(${itemFields})`,
          pageSize,
          ...(pageToken && { pageToken }),
          ...(driveId && { corpora: 'drive', driveId }),
          supportsAllDrives: true,
          includeItemsFromAllDrives: true,
        },
        { timeout: requestTimeoutMs, ...(signal && { signal }) },
      ),
    signal,
  );
  return parseResponse(Page, data);
}
