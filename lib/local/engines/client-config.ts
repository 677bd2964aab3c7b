import { region } from '../template/resource-names.ts';

/** The engines check no credentials, but the SDK's clients need some. */
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Returns the configuration by which an SDK client reaches an engine. */
export const clientConfig = (endpoint: string) => ({ endpoint, region, credentials });

/** The same configuration without the endpoint, as environment variables that every SDK client reads. */
export const clientEnvironment = {
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_REGION: region,
};
