import { afterAll } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { startSecretsServer } from '../../lib/local/secrets/secrets-server.ts';

/** A Drive that Quire's client can reach. */
interface Reachable {
  url: string;
  serviceAccount: object;
}

/** Gives a test file Quire's Drive client, led to a server, with the server's own service account as its secret. */
export async function useQuire({ url, serviceAccount }: Reachable) {
  const values = { 'drive-secret': JSON.stringify(serviceAccount) };
  const secrets = await startSecretsServer(values);
  afterAll(() => secrets.close());
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    DRIVE_SECRET: 'drive-secret',
    GOOGLE_DRIVE_URL: url,
  });
  return {
    ...(await import('../../shared/drive/content.ts')),
    ...(await import('../../shared/drive/file.ts')),
    ...(await import('../../shared/drive/folder.ts')),
    ...(await import('../../shared/drive/result.ts')),
    ...(await import('../../shared/drive/client.ts')),
    /** Puts another text into the secret; the client finds out when it must. */
    setSecret: (text: string) => {
      values['drive-secret'] = text;
    },
  };
}

/** Returns how a promise fails. Throws if it doesn't. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const answer = await promise.catch((error: unknown) => ({ error }));
  if (answer && typeof answer === 'object' && 'error' in answer) return answer.error;
  throw new Error('It did not fail');
}
