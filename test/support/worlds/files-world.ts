import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { s3 } from '../../../shared/aws/s3.ts';
import { setting } from '../../../shared/config.ts';
import { createFile, type NewFile } from '../../../shared/files/create-file.ts';
import type { StoredFile } from '../../../shared/files/file.ts';
import { readFile } from '../../../shared/files/read-file.ts';

/** Hands a text on in pieces. */
export async function* piecesOf(text: string, length = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += length) yield Buffer.from(text.slice(at, at + length));
}

/** Makes a file of a text. */
export const makeFile = (keyId: string, text: string, rest: Partial<NewFile> = {}) =>
  createFile(keyId, { filename: 'a.jsonl', purpose: 'user_data', ...rest }, piecesOf(text));

/** Reads a whole file. */
export const textOf = async (file: StoredFile, from?: number) =>
  Buffer.concat(
    await Array.fromAsync(readFile(file, from === undefined ? {} : { from })),
  ).toString();

/** The names of all objects of a key. */
export async function objectsOfKey(keyId: string): Promise<string[]> {
  const { Contents = [] } = await s3.send(
    new ListObjectsV2Command({ Bucket: setting('FILES_BUCKET'), Prefix: `files/${keyId}/` }),
  );
  return Contents.flatMap(({ Key }) => Key ?? []);
}
