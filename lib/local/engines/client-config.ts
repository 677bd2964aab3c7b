import { randomUUID } from 'node:crypto';
import { region } from '../template/resource-names.ts';

const secretKeyName = 'QUIRE_LOCAL_SECRET_KEY';

/** The secret key is made at the start of a stage, and its engines know the stage's clients and functions by it. */
export const credentials = {
  accessKeyId: 'local',
  secretAccessKey: process.env[secretKeyName] ?? randomUUID(),
};

/** The environment by which another thread or process has the same secret key. */
export const secretKeyEnvironment = { [secretKeyName]: credentials.secretAccessKey };

/** Returns the configuration by which an SDK client reaches an engine. */
export const clientConfig = (endpoint: string) => ({ endpoint, region, credentials });

/** The same configuration without the endpoint, as environment variables that every SDK client reads. */
export const clientEnvironment = {
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_REGION: region,
};
