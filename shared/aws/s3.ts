import { S3Client } from '@aws-sdk/client-s3';

/** The one S3 client of a function. A response that doesn't come, or that stops in the middle, ends in an error. */
export const s3 = new S3Client({
  requestHandler: {
    connectionTimeout: 5_000,
    requestTimeout: 60_000,
    throwOnRequestTimeout: true,
    socketTimeout: 60_000,
  },
});
