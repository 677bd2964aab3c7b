import { S3Client } from '@aws-sdk/client-s3';
import { timeouts } from './timeouts.ts';

/** The one S3 client of a function. Uploads are parts of 5 MB at most; a download may take long while it goes on. */
export const s3 = new S3Client(timeouts({ responseMs: 30_000, silenceMs: 20_000 }));
