import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { timeouts } from './timeouts.ts';

/**
 * The one S3 client of a function. A request's time is that of its upload too, of a part of 5 MB at most; a download may
 * take as long as it likes while it goes on.
 */
export const s3 = new S3Client(timeouts({ responseMs: 30_000, silenceMs: 20_000 }));

/** Whether an object is not there. S3 calls it forbidden to a function that may not list. */
export const isGone = (error: unknown) =>
  error instanceof S3ServiceException && [403, 404].includes(error.$metadata.httpStatusCode ?? 0);
