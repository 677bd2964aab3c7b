import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { setting } from '../config.ts';
import { s3 } from './s3.ts';

/**
 * Returns a link to an object for some seconds, but for no longer than the credentials that sign it are known to
 * last.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-presigned-url.html
 */
export async function signedUrl(object: string, seconds: number): Promise<string> {
  const command = new GetObjectCommand({ Bucket: setting('OBJECTS_BUCKET'), Key: object });
  const { expiration } = await s3.config.credentials();
  const leftMs = (expiration?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
  const expiresIn = Math.max(1, Math.min(seconds, Math.floor(leftMs / 1000)));
  return getSignedUrl(s3, command, { expiresIn });
}
