import { S3Client } from '@aws-sdk/client-s3';

/** The one S3 client of a function. */
export const s3 = new S3Client({});
