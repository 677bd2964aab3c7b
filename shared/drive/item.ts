import * as v from 'valibot';
import { callDrive } from './call.ts';
import { requestTimeoutMs } from './client.ts';
import { fileNotFound, isHidden, unavailable, unlessHidden } from './errors.ts';

export const folderType = 'application/vnd.google-apps.folder';
export const shortcutType = 'application/vnd.google-apps.shortcut';

/** An id. It is put into URLs and queries, so it must not hold a character that means something there. */
const Id = v.pipe(v.string(), v.regex(/^[\w-]{1,200}$/));

/** Anything in Drive: a file, a folder or a shortcut. @see https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
export const Item = v.object({
  id: Id,
  name: v.string(),
  mimeType: v.string(),
  parents: v.optional(v.array(v.string()), []),
  driveId: v.optional(v.string()),
  size: v.optional(v.pipe(v.string(), v.toNumber())),
  md5Checksum: v.optional(v.string()),
  modifiedTime: v.optional(v.string(), ''),
  trashed: v.optional(v.boolean(), false),
  appProperties: v.optional(v.record(v.string(), v.string()), {}),
  /** Where a person opens it. */
  webViewLink: v.optional(v.string()),
  shortcutDetails: v.optional(v.object({ targetId: Id, targetMimeType: v.string() })),
});
export type Item = v.InferOutput<typeof Item>;

/** The fields to ask Drive for: the fields of `Item`. */
export const itemFields =
  'id,name,mimeType,parents,driveId,size,md5Checksum,modifiedTime,trashed,appProperties,webViewLink,shortcutDetails(targetId,targetMimeType)';

/** Parses a response of Drive. Throws 503 if it isn't one: a proxy's page, or half a body, may come with status 200. */
export function parseResponse<Schema extends v.GenericSchema>(
  schema: Schema,
  data: unknown,
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, data);
  if (!read.success) throw unavailable('Google Drive answered what is not its JSON.');
  return read.output;
}

/** Reads an item. Throws `NotFoundError` if it doesn't exist, is in the trash, or isn't shared with us. */
export async function getDriveItem(fileId: string): Promise<Item> {
  const item = parseResponse(Item, await getFields(fileId, itemFields));
  if (item.trashed) throw fileNotFound();
  return item;
}

const Parents = v.pick(Item, ['parents']);

/** Reads which folders hold a folder. There are none if we may not see it. */
export async function parentsOf(folderId: string): Promise<string[]> {
  const found = await unlessHidden(getFields(folderId, 'parents'));
  return found === undefined ? [] : parseResponse(Parents, found).parents;
}

/** Returns the folders, files and shared drives among the given ones that the service account can't find. */
export async function unknownItems(ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => unlessHidden(getDriveItem(id))));
  return ids.filter((_, index) => !found[index]);
}

async function getFields(fileId: string, fields: string): Promise<unknown> {
  if (!v.is(Id, fileId)) throw fileNotFound();
  try {
    const { data } = await callDrive(({ files }) =>
      files.get({ fileId, fields, supportsAllDrives: true }, { timeout: requestTimeoutMs }),
    );
    return data;
  } catch (error) {
    throw isHidden(error) ? fileNotFound(error) : error;
  }
}

/** How many levels of folders above an item are looked at, as many as a shared drive has. @see https://support.google.com/a/users/answer/7338880 */
const maxDepth = 100;

/** Returns whether an item is allowed: itself, a folder above it, or its shared drive. */
export type Access = (item: Pick<Item, 'id' | 'parents' | 'driveId'>) => Promise<boolean>;

/** Makes the access rule of a key's allowed folders, files and shared drives. It remembers folders that it looked up. */
export function accessUnder(allowedFolders: readonly string[]): Access {
  const allowed = new Set(allowedFolders);
  const known = new Map<string, Promise<string[]>>();
  const knownParents = (folderId: string) => {
    const parents = known.get(folderId) ?? parentsOf(folderId);
    known.set(folderId, parents);
    return parents;
  };

  return async ({ id, parents, driveId }) => {
    if (allowed.has(id) || (driveId && allowed.has(driveId))) return true;
    const seen = new Set<string>();
    // A file made before 2020's end may lie in several folders, so a level may have several.
    // https://developers.google.com/workspace/drive/api/guides/ref-single-parent
    let level = parents;
    for (let depth = 0; level.length > 0 && depth < maxDepth; depth++) {
      if (level.some((folderId) => allowed.has(folderId))) return true;
      for (const folderId of level) seen.add(folderId);
      const above = (await Promise.all(level.map(knownParents))).flat();
      level = [...new Set(above)].filter((folderId) => !seen.has(folderId));
    }
    return false;
  };
}
