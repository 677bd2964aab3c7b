import { readStageFile } from '../../../lib/local/stage-file.ts';
import { issueKey } from '../../../shared/keys/key.ts';
import { defaultLimits, type KeyLimits } from '../../../shared/keys/key-limits.ts';
import type { Target } from './api.ts';

/** Issues a key of the test's own on a running stage, so that its lists show no other test's jobs. */
export async function newCaller(
  { base_url, dataDir }: Pick<Target, 'base_url'> & { dataDir: string },
  limits: Partial<KeyLimits> = {},
): Promise<Target & { keyId: string }> {
  const file = readStageFile(dataDir);
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: file?.secret_access_key,
    AWS_ENDPOINT_URL_DYNAMODB: file?.dynamodb_url,
    KEYS_TABLE: file?.outputs['KeysTable'],
    LEDGER_TABLE: file?.outputs['LedgerTable'],
  });
  const { api_key, id } = await issueKey('test', { ...defaultLimits, ...limits });
  return { base_url, api_key, keyId: id };
}
