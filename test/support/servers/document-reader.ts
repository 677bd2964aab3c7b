import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll } from 'vitest';
import { clientConfig, clientEnvironment } from '../../../lib/local/engines/client-config.ts';
import { FunctionHost } from '../../../lib/local/lambda/function-host.ts';
import { startInvokeServer } from '../../../lib/local/lambda/invoke-server.ts';
import { Narrator } from '../../../lib/local/narrator.ts';
import type { AttachedFile } from '../../../shared/documents/attached/attached-file.ts';
import { permissionsFor } from '../fixtures/permissions.ts';
import { shared } from '../run/shared.ts';
import { functions } from '../run/stack-template.ts';

/** The function `read-document`, and the bucket in which it is handed what is too large for a request. */
export interface DocumentReader {
  /** The environment of functions that have documents read. */
  environment: Record<string, string>;
  /** What it was asked to read so far. */
  asked: AttachedFile[];
  /** The names of the objects in the bucket. */
  objects(): Promise<string[]>;
}

/**
 * Gives a test file the function `read-document` as it is deployed, without any permission, and leads this process to
 * it. `beforeReading` is awaited before each reading.
 */
export async function useDocumentReader(
  beforeReading: (reader: DocumentReader) => Promise<void> = async () => {},
): Promise<DocumentReader> {
  const { queuesUrl } = await shared('engines');
  const config = functions.find(({ name }) => name === 'read-document');
  const host = new FunctionHost(
    {
      ...{ name: 'read-document', arn: 'arn:read', handler: 'index.handler' },
      codeDir: config?.bundle ?? '',
      environment: { AWS_ENDPOINT_URL_S3: queuesUrl },
      permissions: permissionsFor(),
      timeoutMs: 60_000,
      memoryMb: 2048,
    },
    new Narrator(() => {}),
  );
  const asked: AttachedFile[] = [];
  const invoke = async (file: AttachedFile, id: string) => {
    asked.push(file);
    await beforeReading(reader);
    return host.invoke(file, id);
  };
  const lambda = await startInvokeServer(() => ({ invoke }) as unknown as FunctionHost);
  const bucket = `test-${randomUUID()}`;
  const s3 = new S3Client(clientConfig(queuesUrl));
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  afterAll(async () => {
    s3.destroy();
    await lambda.close();
    await host.close();
  });
  const environment = {
    AWS_ENDPOINT_URL_LAMBDA: lambda.url,
    AWS_ENDPOINT_URL_S3: queuesUrl,
    READ_DOCUMENT_FUNCTION: 'read-document',
    OBJECTS_BUCKET: bucket,
    HAND_OVER_PREFIX: 'handed-over/',
  };
  Object.assign(process.env, clientEnvironment, environment);
  const reader = {
    environment,
    asked,
    objects: async () => {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
      return Contents.map(({ Key = '' }) => Key);
    },
  };
  return reader;
}
