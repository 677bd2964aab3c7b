import {
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { clientConfig } from '../engines/client-config.ts';
import type { ResourceNames } from '../template/resource-names.ts';
import { resourcesOf, type Template } from '../template/template.ts';

/** Makes the template's buckets that don't exist yet. */
export async function deployBuckets(
  template: Template,
  names: ResourceNames,
  url: string,
): Promise<void> {
  const s3 = new S3Client(clientConfig(url));
  for (const [id] of resourcesOf(template, 'AWS::S3::Bucket')) {
    try {
      await s3.send(new CreateBucketCommand({ Bucket: names.nameOf(id) }));
    } catch (error) {
      const exists =
        error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists;
      if (!exists) throw error;
    }
  }
  s3.destroy();
}
