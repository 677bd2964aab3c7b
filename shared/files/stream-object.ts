import { Readable } from 'node:stream';
import { Upload } from '@aws-sdk/lib-storage';
import { s3 } from '../aws/s3.ts';
import { setting } from '../config.ts';

/** Puts an object of any size, of which two parts of 5 MB are in memory. One that breaks off leaves nothing. */
export async function streamObject(
  object: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const Body = Readable.from(content, { objectMode: false });
  const params = { Bucket: setting('FILES_BUCKET'), Key: object, Body };
  await new Upload({ client: s3, params, queueSize: 1 }).done();
}
