import { listKeys, readKey } from '../../../shared/keys/key.ts';
import { listTeams } from '../../../shared/keys/team.ts';
import { checkKeys, checkTeams } from '../../../shared/usage/check.ts';
import { progress } from '../progress.ts';
import type { Outcome } from '../run.ts';
import { checkRecord, describeChecks } from './check.ts';

/** Compares a key, or all keys and teams without an id, with their charges, in the tables of this process. */
export async function runCheck(
  id?: string,
  from?: string,
): Promise<Extract<Outcome, { json: object }>> {
  const keys = id ? [await readKey(id)] : await listKeys();
  const { note, end } = progress('keys', keys.length);
  const checks = await checkKeys(keys, from, note);
  const teams = id ? [] : await checkTeams(await listTeams(), from);
  end();
  return {
    json: checkRecord(checks, teams),
    text: describeChecks(checks, teams),
    isWrong: [...checks, ...teams].some(({ agrees }) => !agrees),
  };
}
