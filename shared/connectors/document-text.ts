import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { s3 } from '../aws/s3.ts';
import { signedUrl } from '../aws/signed-url.ts';
import { collectUpTo } from '../collect.ts';
import { setting } from '../config.ts';
import { askToRead } from '../documents/attached/ask-to-read.ts';
import type { AttachedContent, AttachedReading } from '../documents/attached/attached-file.ts';
import { kindOf, mediaTypeOf } from '../documents/kind.ts';
import { openContent } from '../drive/content.ts';
import type { DriveFile } from '../drive/file.ts';
import { memory } from '../http/byte-budget.ts';
import { errorFields, log } from '../log.ts';
import { reasonAgainst, reasonAgainstType, reasonIn, scanReason } from './skipped.ts';

/** When the reading of all documents must end. */
export interface Deadline {
  signal: AbortSignal;
  /** The deadline in ms since 1970, which the function that reads is told. */
  atMs: number;
}

/** What a document says, or why it can't be told. */
export type Reading = { text: string } | { skipped: string };

const maxFileMb = 20;
const maxFileBytes = maxFileMb * 1024 * 1024;
/** As JSON, of which six must fit into the 6 MB that Lambda returns. */
const limits = { characters: 400_000, jsonBytes: 800_000, longer: 'cut' } as const;

const tooLarge = { skipped: `it is larger than ${maxFileMb} MB` };

/**
 * Downloads a file, and has the function `read-document` read it, as that has no Drive secret. Throws what both
 * throw, `NoRoomError`, and the deadline's reason.
 */
export async function documentText(
  keyId: string,
  file: DriveFile,
  { signal, atMs }: Deadline,
): Promise<Reading> {
  const unread = reasonAgainst(file);
  if (unread) return { skipped: unread };
  if ((file.size ?? 0) > maxFileBytes) return tooLarge;
  using room = memory().room(keyId);
  await room.take(file.size ?? maxFileBytes, { signal });
  const { body, mimeType, filename: name } = await openContent(file, signal);
  const bytes = await collectUpTo(maxFileBytes, body);
  if (!bytes) return tooLarge;
  const kind = kindOf(bytes, mimeType, name);
  if (kind === undefined || kind === 'image') {
    return { skipped: reasonAgainstType(mediaTypeOf(bytes, mimeType, name)) };
  }
  const reading = await handOver(
    bytes,
    (content) => {
      const ms = Math.max(1, atMs - Date.now());
      return askToRead({ keyId, name, mimeType, content, limits: { ...limits, ms } }, signal);
    },
    signal,
  );
  return readingOf(reading, kind === 'pdf');
}

function readingOf(reading: AttachedReading, isPdf: boolean): Reading {
  if ('text' in reading) return reading.text ? reading : { skipped: 'there is no text in it' };
  if (reading.code !== 'no_text') return { skipped: reasonIn(reading.unreadable) };
  return { skipped: isPdf ? scanReason : 'there is no text in it' };
}

/** Base64 makes a third more of them, and Lambda takes 6 MB. */
const maxInlineBytes = 4 * 1024 * 1024;
/** The link is followed as soon as the function that gets it has started. */
const linkSeconds = 60;

/**
 * Hands a file to another function, in the request or behind a link, which ends with `use`; a death leaves it to the
 * bucket's rules.
 */
async function handOver<Result>(
  bytes: Buffer,
  use: (content: AttachedContent) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  if (bytes.length <= maxInlineBytes) return use({ base64: bytes.toString('base64') });
  const object = {
    Bucket: setting('OBJECTS_BUCKET'),
    Key: `${setting('HAND_OVER_PREFIX')}${randomUUID()}`,
  };
  try {
    await s3.send(new PutObjectCommand({ ...object, Body: bytes }), { abortSignal: signal });
    return await use({ url: await signedUrl(object.Key, linkSeconds) });
  } finally {
    await s3.send(new DeleteObjectCommand(object)).catch((error: unknown) => {
      log('warn', 'a document handed over was not deleted', errorFields(error));
    });
  }
}
