import './catalogue-faults.ts';

import pLimit from 'p-limit';
import * as v from 'valibot';
import { LimitOption, readValues } from '../lib/cli/arguments.ts';
import { confirm } from '../lib/cli/command-line.ts';
import { filesCommands } from '../lib/cli/files/commands.ts';
import {
  describeFile,
  type FileSheet,
  type KeyFiles,
  tabulateFiles,
  tabulateKeyFiles,
} from '../lib/cli/files/files-text.ts';
import { keysMeant } from '../lib/cli/keys-meant.ts';
import { runCommand } from '../lib/cli/run.ts';
import { reach, type Target } from '../lib/cli/target.ts';
import { setting } from '../shared/config.ts';
import { endFile } from '../shared/files/delete-file.ts';
import { type FileObject, toFileObject } from '../shared/files/file.ts';
import { fileOfAny } from '../shared/files/find-file.ts';
import { listFiles } from '../shared/files/list-files.ts';
import { usageOf } from '../shared/files/quota.ts';
import { type ApiKey, listKeys } from '../shared/keys/key.ts';

const KeyOption = v.object({ key: v.optional(v.string()) });
const ListOptions = v.object({ ...KeyOption.entries, ...LimitOption.entries });

/** Keys whose counters are read at once. */
const keysAtOnce = 16;

type Values = { [option: string]: string };

await runCommand(filesCommands, {
  async list({ values }) {
    const { key, limit } = readValues(ListOptions, values);
    const keys = await reachKeys(values);
    if (key === undefined) return listKeysFiles(keys, limit);
    const [owner] = keysMeant(keys, key);
    const { data, has_more: more } = await listFiles(owner?.id ?? '', { limit });
    const files = data.map((file) => sheetOf(file, owner));
    return { json: { files, more }, text: tabulateFiles(files, more) };
  },

  async show({ id, values }) {
    const { sheet } = await find(id, values);
    return { json: sheet, text: describeFile(sheet) };
  },

  async delete({ id, values, flags }) {
    const { file, sheet } = await find(id, values);
    await confirm([`To delete: ${id} of ${sheet.key_name}.`], flags);
    await endFile(file);
    return { json: { id, key_id: sheet.key_id, deleted: true }, text: `Deleted: ${id}.` };
  },
});

async function reachKeys(target: Target): Promise<readonly ApiKey[]> {
  await reach(target, 'KEYS_TABLE', 'FILES_TABLE', 'FILE_QUOTA');
  return listKeys();
}

async function listKeysFiles(keys: readonly ApiKey[], limit: number) {
  const { files: max_files, bytes: max_bytes } = setting('FILE_QUOTA');
  const read = async ({ id: key_id, name: key_name }: ApiKey): Promise<KeyFiles> => ({
    key_id,
    key_name,
    ...(await usageOf(key_id)),
    max_files,
    max_bytes,
  });
  const used = await pLimit(keysAtOnce).map(keys, read);
  const sorted = used.filter(({ files }) => files > 0).sort((a, b) => b.bytes - a.bytes);
  const more = sorted.length > limit;
  const shown = sorted.slice(0, limit);
  return { json: { keys: shown, more }, text: tabulateKeyFiles(shown, more) };
}

async function find(id: string, values: Values) {
  const { key } = readValues(KeyOption, values);
  const keys = keysMeant(await reachKeys(values), key);
  const file = await fileOfAny(
    keys.map(({ id }) => id),
    id,
  );
  const owner = keys.find(({ id }) => id === file.key_id);
  return { file, sheet: sheetOf(toFileObject(file), owner) };
}

function sheetOf(file: FileObject, owner: ApiKey | undefined): FileSheet {
  return { ...file, key_id: owner?.id ?? '', key_name: owner?.name ?? '' };
}
