import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { s3 } from '../../../aws/s3.ts';
import { setting } from '../../../config.ts';
import type { Room } from '../../../http/byte-budget.ts';
import { type JobKey, jobsWait } from './job.ts';

/** Longer JSON goes to object storage: each write is billed for the whole item, and each lease renewal is a write. */
const inlineBytes = 2 * 1024;
/** A text of more bytes than this is put behind a link. */
const inlineTextBytes = 256 * 1024;

/** Whether JSON is short enough to be an attribute of its job. */
export const isShort = (json: string) => Buffer.byteLength(json) <= inlineBytes;

/** Whether a text is too long to be sent in a response. */
export const isLong = (text: string) => Buffer.byteLength(text) > inlineTextBytes;

const toGzip = promisify<string, Buffer>(gzip);
const fromGzip = promisify<Uint8Array, Buffer>(gunzip);

/** Puts JSON, or something of another type, of a job's into object storage. Returns its object. */
export async function putObject(
  key: JobKey,
  name: string,
  Body: string | Uint8Array,
  ContentType = 'application/json',
): Promise<string> {
  const put = { Bucket: setting('OBJECTS_BUCKET'), Key: `${folderOf(key)}/${name}` };
  await s3.send(new PutObjectCommand({ ...put, Body, ContentType }));
  return put.Key;
}

/** The type of a text that callers get by a link. */
export const plainText = 'text/plain; charset=utf-8';

/** Returns the text in a file if it is short; else puts it into object storage and returns its object. */
export async function keepFile(
  key: JobKey,
  name: string,
  path: string,
): Promise<{ text?: string; text_object?: string }> {
  if ((await stat(path)).size <= inlineTextBytes) return { text: await readFile(path, 'utf8') };
  const text_object = `${folderOf(key)}/${name}`;
  const put = { Bucket: setting('OBJECTS_BUCKET'), Key: text_object, ContentType: plainText };
  const params = { ...put, Body: createReadStream(path) };
  await new Upload({ client: s3, params, queueSize: 2 }).done();
  return { text_object };
}

/** Puts a text of a job's, compressed. Returns its object. */
export async function putCompressed(key: JobKey, name: string, text: string): Promise<string> {
  return putObject(key, name, await toGzip(text), 'application/gzip');
}

/** Reads a text that `putCompressed` has put. */
export async function getCompressed(object: string): Promise<string> {
  return (await fromGzip(await getBytes(object))).toString();
}

/** Reads an object's bytes, once there is room for them in a room if one is given. */
export async function getBytes(object: string, room?: Room): Promise<Uint8Array> {
  const { Body, ContentLength = 0 } = await s3.send(
    new GetObjectCommand({ Bucket: setting('OBJECTS_BUCKET'), Key: object }),
  );
  if (!Body) throw new Error(`The object ${object} is empty`);
  await room?.take(ContentLength, jobsWait);
  return Body.transformToByteArray();
}

/** Reads an object's text. */
export const getText = async (object = '', room?: Room) =>
  Buffer.from(await getBytes(object, room)).toString();

/** What the names of a job's objects begin with. */
export const folderOf = ({ key_id, job_id }: JobKey) => `${key_id}/${job_id}`;

/** Reads the names of a job's objects, a page of them at a time. */
export async function* objectsOf(key: JobKey): AsyncGenerator<string[]> {
  const names = { Bucket: setting('OBJECTS_BUCKET'), Prefix: `${folderOf(key)}/` };
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, names)) {
    yield Contents.flatMap(({ Key }) => Key ?? []);
  }
}

/** Deletes an object; one that isn't there is deleted. */
export async function deleteObject(object: string): Promise<void> {
  await s3.send(new DeleteObjectCommand({ Bucket: setting('OBJECTS_BUCKET'), Key: object }));
}

/** Copies an object to another name. */
export async function copyObject(from: string, to: string): Promise<void> {
  const Bucket = setting('OBJECTS_BUCKET');
  const CopySource = `${Bucket}/${from.split('/').map(encodeURIComponent).join('/')}`;
  await s3.send(new CopyObjectCommand({ Bucket, Key: to, CopySource }));
}
