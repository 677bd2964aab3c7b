import { region } from '../template/resource-names.ts';

/** Any credentials do: the engines don't check them. */
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** How an SDK client reaches an engine. */
export const clientConfig = (endpoint: string) => ({ endpoint, region, credentials });

/** The same for a function, by the environment variables that every SDK client reads. */
export const clientEnvironment = {
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_REGION: region,
};
