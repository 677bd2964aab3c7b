import { DynamoDBClient, paginateListTables, paginateScan } from '@aws-sdk/client-dynamodb';
import {
  GetObjectCommand,
  ListBucketsCommand,
  NoSuchKey,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';

/** Where the stores are to look into, and what their clients are made of. */
interface Stores {
  dynamodb: DynamoDBClient;
  s3: S3Client;
  /** Of an engine that others use too, what the names of one's own tables and buckets begin with. */
  prefix?: string;
}

/** The clients of this process's stores. */
export const storesOfProcess = (prefix?: string): Stores => ({
  dynamodb: new DynamoDBClient({}),
  s3: new S3Client({ forcePathStyle: true }),
  ...(prefix && { prefix }),
});

/** Looks into every item of every table and every object of every bucket. Returns where a word is found. */
export async function remnantsOf(word: string, stores: Stores): Promise<string[]> {
  const found: string[] = [];
  for await (const [place, content] of everything(stores)) {
    if (place.includes(word) || content.includes(word)) found.push(place);
  }
  return found.sort();
}

async function* everything(stores: Stores): AsyncGenerator<[string, Buffer]> {
  yield* allItems(stores);
  yield* allObjects(stores);
}

async function* allItems({ dynamodb, prefix = '' }: Stores): AsyncGenerator<[string, Buffer]> {
  for await (const { TableNames = [] } of paginateListTables({ client: dynamodb }, {})) {
    for (const name of TableNames) if (name.startsWith(prefix)) yield* itemsOf(dynamodb, name);
  }
}

async function* itemsOf(
  dynamodb: DynamoDBClient,
  TableName: string,
): AsyncGenerator<[string, Buffer]> {
  for await (const { Items = [] } of paginateScan(
    { client: dynamodb },
    { TableName, ConsistentRead: true },
  )) {
    for (const item of Items) {
      const { key_id, job_id, entry, session } = item;
      const id = job_id?.S ?? entry?.S ?? session?.S;
      yield [`${TableName} ${key_id?.S} ${id}`, Buffer.from(JSON.stringify(item))];
    }
  }
}

/** What objects hold that were read before: one that is written again has another tag. */
const contents = new Map<string, Buffer>();

async function* allObjects({ s3, prefix = '' }: Stores): AsyncGenerator<[string, Buffer]> {
  const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));
  for (const { Name: Bucket = '' } of Buckets) {
    if (!Bucket.startsWith(prefix)) continue;
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket })) {
      for (const { Key, ETag } of Contents) {
        const place = `${Bucket} ${Key}`;
        const name = `${place} ${ETag}`;
        const content = contents.get(name) ?? (await contentOf(s3, Bucket, Key));
        if (!content) continue;
        contents.set(name, content);
        yield [place, content];
      }
    }
  }
}

async function contentOf(s3: S3Client, Bucket: string, Key?: string): Promise<Buffer | undefined> {
  const object = await s3.send(new GetObjectCommand({ Bucket, Key })).catch(unlessGone);
  return object && Buffer.from((await object.Body?.transformToByteArray()) ?? []);
}

/** Another test may have deleted an object since it was listed. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof NoSuchKey)) throw error;
}
