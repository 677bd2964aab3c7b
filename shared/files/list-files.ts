import * as v from 'valibot';
import { queryItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { FileObject, isVisible, type StoredFile, toFileObject } from './file.ts';

/** What of a key's files is asked for, and in what order. */
export interface FileListOptions {
  purpose?: string | undefined;
  limit?: number | undefined;
  order?: 'asc' | 'desc' | undefined;
  /** The id of the file that the list goes on behind. */
  after?: string | undefined;
}

/** The most files of one list, as in the protocol. */
export const maxListed = 10_000;

/** A page of a key's files. */
export const FileList = v.object({
  object: v.literal('list'),
  data: v.array(FileObject),
  first_id: v.nullable(v.string()),
  last_id: v.nullable(v.string()),
  has_more: v.boolean(),
});
export type FileList = v.InferOutput<typeof FileList>;

/** Lists the files that a key sees, the newest first by default. */
export async function listFiles(
  keyId: string,
  { purpose, limit = maxListed, order = 'desc', after }: FileListOptions = {},
): Promise<FileList> {
  const data: FileObject[] = [];
  const files = queryItems<StoredFile>({
    TableName: setting('FILES_TABLE'),
    KeyConditionExpression: 'key_id = :key AND begins_with(entry, :file)',
    ExpressionAttributeValues: { ':key': keyId, ':file': 'file-' },
    ScanIndexForward: order === 'asc',
    ConsistentRead: true,
    ...(after !== undefined && { ExclusiveStartKey: { key_id: keyId, entry: after } }),
  });
  let hasMore = false;
  for await (const file of files) {
    if (!isVisible(file) || (purpose && file.purpose !== purpose)) continue;
    hasMore = data.length === limit;
    if (hasMore) break;
    data.push(toFileObject(file));
  }
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}
