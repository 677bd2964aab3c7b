import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import { s3 } from '../aws/s3.ts';
import { setting } from '../config.ts';
import type { Kept } from './file.ts';

/** Objects that are deleted at once. */
const atOnce = 25;

/** Tries of a read whose connection breaks; the client itself tries no more once a body has begun. */
const maxReads = 3;

/** The name of an object in the folder of a file or an upload. */
export const objectIn = ({ key_id, folder, entry }: Kept, name: string) =>
  `files/${key_id}/${folder ?? entry}/${name}`;

/** Puts an object of a few MB at most. */
export async function putObject(object: string, body: Uint8Array | string): Promise<void> {
  const Bucket = setting('FILES_BUCKET');
  await s3.send(new PutObjectCommand({ Bucket, Key: object, Body: body }));
}

/** Reads the bytes of an object from one place to before another. */
export async function readRange(
  object: string,
  from: number,
  to: number,
  Bucket = setting('FILES_BUCKET'),
): Promise<Uint8Array> {
  const Range = `bytes=${from}-${to - 1}`;
  for (let reads = 1; ; reads += 1) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: object, Range }));
    if (!Body) throw new Error('An object of a file has no body');
    try {
      return await Body.transformToByteArray();
    } catch (error) {
      if (reads === maxReads) throw error;
    }
  }
}

/** Reads a whole object, of a MB or so. */
export async function readObject(
  object: string,
  Bucket = setting('FILES_BUCKET'),
): Promise<string> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: object }));
  if (!Body) throw new Error('An object of a file has no body');
  return Body.transformToString();
}

/** Returns how many bytes an object has. */
export async function objectBytes(object: string, Bucket: string): Promise<number> {
  const { ContentLength = 0 } = await s3.send(new HeadObjectCommand({ Bucket, Key: object }));
  return ContentLength;
}

/** Deletes objects; missing ones count as deleted. */
export async function deleteObjects(objects: string[]): Promise<void> {
  const Bucket = setting('FILES_BUCKET');
  await pLimit(atOnce).map(objects, (Key) => s3.send(new DeleteObjectCommand({ Bucket, Key })));
}

/** Deletes all objects of a file or an upload. Returns whether it came to their end before the time was up. */
export async function deleteFolder(kept: Kept, untilMs: number): Promise<boolean> {
  const names = { Bucket: setting('FILES_BUCKET'), Prefix: objectIn(kept, '') };
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, names)) {
    if (Date.now() >= untilMs) return false;
    await deleteObjects(Contents.flatMap(({ Key }) => Key ?? []));
  }
  return true;
}
