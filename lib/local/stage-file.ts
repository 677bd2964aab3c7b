import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { StageError } from './stage-error.ts';

const StageFile = v.object({
  base_url: v.string(),
  api_url: v.string(),
  api_key: v.string(),
  /** The endpoints for commands that work on the stage's tables and its drive. */
  dynamodb_url: v.string(),
  secrets_url: v.string(),
  drive_url: v.string(),
  /** What clients of the stage's engines sign with. */
  secret_access_key: v.string(),
  outputs: v.record(v.string(), v.string()),
});

/** What scripts and commands on this machine need to know of a stage. */
export type StageFile = v.InferOutput<typeof StageFile>;

const pathIn = (dataDir: string) => join(dataDir, 'stage.json');

/** Writes `<data>/stage.json`, which only its owner may read: it holds an API key. */
export function writeStageFile(dataDir: string, file: StageFile): void {
  const temporary = `${pathIn(dataDir)}.new`;
  writeFileSync(temporary, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, pathIn(dataDir));
}

/** Reads `<data>/stage.json`. Returns undefined if no stage ever ran on the folder. Throws `StageError`. */
export function readStageFile(dataDir: string): StageFile | undefined {
  if (!existsSync(pathIn(dataDir))) return undefined;
  try {
    return v.parse(StageFile, JSON.parse(readFileSync(pathIn(dataDir), 'utf8')));
  } catch (cause) {
    throw new StageError(`${pathIn(dataDir)} can't be read: ${(cause as Error).message}.`, {
      cause,
    });
  }
}
