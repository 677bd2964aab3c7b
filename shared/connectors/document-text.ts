import { collectUpTo } from '../collect.ts';
import { askToRead } from '../documents/attached/ask-to-read.ts';
import type { AttachedReading } from '../documents/attached/attached-file.ts';
import { kindOf, mediaTypeOf } from '../documents/kind.ts';
import { openContent } from '../drive/content.ts';
import type { DriveFile } from '../drive/file.ts';
import { memory } from '../http/byte-budget.ts';
import { handOver } from './hand-over.ts';
import { reasonAgainst, reasonAgainstType, reasonIn, scanReason } from './skipped.ts';

/** When the reading of all documents must end. */
export interface Deadline {
  signal: AbortSignal;
  /** The same moment, by which the function that reads is told how long it may take. */
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
