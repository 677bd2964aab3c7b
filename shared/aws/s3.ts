import { S3Client } from '@aws-sdk/client-s3';
import { timeouts } from './timeouts.ts';

/**
 * The one S3 client of a function. A request's time is that of its upload too, of a part of 5 MB at most; a download may
 * take as long as it likes while it goes on.
 */
export const s3 = new S3Client(timeouts({ responseMs: 30_000, silenceMs: 20_000 }));
