import * as v from 'valibot';
import { queryItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { typedMessage } from '../http/field-errors.ts';
import { integerText } from '../http/schema.ts';
import { FileObject, fileIdPattern, isVisible, type StoredFile, toFileObject } from './file.ts';

/** The most files of one list, as in the protocol. */
const maxListed = 10_000;

/** The query of `GET /v1/files`. */
export const FileListQuery = v.object({
  purpose: v.optional(v.string()),
  limit: v.optional(integerText(1, maxListed)),
  order: v.optional(v.picklist(['asc', 'desc'])),
  after: v.optional(
    v.pipe(
      v.string(),
      v.regex(fileIdPattern, typedMessage('value_error', 'Value error, not the id of a file')),
    ),
  ),
});
export type FileListQuery = v.InferOutput<typeof FileListQuery>;

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
  { purpose, limit = maxListed, order = 'desc', after }: FileListQuery = {},
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
