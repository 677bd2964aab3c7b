import { rootFolderId } from '../lib/local/drive/drive-folder.ts';
import { clientEnvironment } from '../lib/local/engines/client-config.ts';
import type { Stage, StageOptions } from '../lib/local/stage/stage.ts';
import { readStageFile } from '../lib/local/stage-file.ts';
import { findKeyBySecret, issueKey } from '../shared/keys/key.ts';
import { defaultLimits } from '../shared/keys/key-limits.ts';
import { keysByName } from '../shared/keys/name.ts';

/**
 * Returns a key for scripts: the stage file's, issued again by a stage in memory, or a new one if it is missing or
 * revoked.
 */
export async function firstKey(
  { dynamodbUrl, outputs }: Stage,
  { dataDir, memory }: Pick<StageOptions, 'dataDir' | 'memory'>,
): Promise<string> {
  // The SDK would prefer a profile's credentials to these.
  delete process.env['AWS_PROFILE'];
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbUrl,
    KEYS_TABLE: outputs['KeysTable'],
    LEDGER_TABLE: outputs['LedgerTable'],
  });
  const known = readStageFile(dataDir)?.api_key;
  if (known && (await findKeyBySecret(known))) return known;
  const limits = { ...defaultLimits, drive_folders: [rootFolderId], images_per_hour: 100_000 };
  const by = 'the local stage';
  return (await issueKey(await freeName(), limits, memory ? known : undefined, by)).api_key;
}

/** Returns `local`, or `local-2` and so on where another key has that name. */
async function freeName(): Promise<string> {
  const taken = await keysByName();
  for (let name = 'local', number = 2; ; name = `local-${number++}`) {
    if (!taken.has(name)) return name;
  }
}
