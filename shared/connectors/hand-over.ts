import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { s3 } from '../aws/s3.ts';
import { signedUrl } from '../aws/signed-url.ts';
import { setting } from '../config.ts';
import type { AttachedContent } from '../documents/attached/attached-file.ts';
import { errorFields, log } from '../log.ts';

/** Base64 makes a third more of them, and Lambda takes 6 MB. */
const maxInlineBytes = 4 * 1024 * 1024;
/** The link is followed as soon as the function that gets it has started. */
const linkSeconds = 60;

/**
 * Hands a file to another function, in the request or behind a link, which ends with `use`; a death leaves it to the
 * bucket's rules.
 */
export async function handOver<Result>(
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
