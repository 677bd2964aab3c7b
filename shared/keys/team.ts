import { v7 as uuidv7 } from 'uuid';
import { getItem } from '../aws/dynamodb.ts';
import { writeTransaction } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { NotFoundError } from '../http/errors.ts';
import { changeAccountLimits } from '../ledger/change-limits.ts';
import { raiseCustomer, setFurtherLimits } from '../ledger/owner-limits.ts';
import { openAccount, readAccount } from '../ledger/read-account.ts';
import { nameAccount } from '../ledger/team.ts';
import { isTeamId } from '../ledger/terms/account-ids.ts';
import {
  type Changes,
  changeFields,
  differencesOf,
  followChanges,
  historyPut,
  type KeyChange,
} from './history.ts';
import { type ApiKey, type Extra, extraNote, listItems, readKey } from './key.ts';
import type { KeyLimits } from './key-limits.ts';
import { type Budget, budgetOf } from './limits-report.ts';

/** What an operator sets of a team. */
export interface TeamLimits extends Pick<KeyLimits, 'budget_usd' | 'duration'> {
  name: string;
  limits?: string[];
}

/** Keys that share a budget, as the keys table holds them. A team is never deleted. */
export interface Team extends TeamLimits, Changes {
  id: string;
  created_at: string;
}

/** A team as its operator sees it, with its budget as it is now. */
export interface TeamRecord extends Omit<Team, keyof Changes> {
  budget: Budget;
  keys: Pick<ApiKey, 'id' | 'name' | 'state'>[];
}

/** A team's requests are counted by its keys' own limits alone. */
const noRequestLimits = { requests_per_minute: null, max_concurrent: null };

/** Makes a team of no keys, and opens its account; `by` is the operator in its history. */
export async function createTeam(limits: TeamLimits, by: KeyChange['by'] = null): Promise<Team> {
  const team: Team = {
    id: `team_${uuidv7()}`,
    ...limits,
    created_at: new Date().toISOString(),
    changes: 1,
  };
  // The account comes first, so that a team that can be found has one.
  await openAccount(team.id, team.created_at, { ...team, ...noRequestLimits }, team.name);
  if (team.limits) await setFurtherLimits(team.id, team.limits);
  await writeTransaction([
    { Put: { TableName: setting('KEYS_TABLE'), Item: team } },
    historyPut(
      { id: team.id, changes: 0 },
      { by, action: 'created', fields: differencesOf({}, team) },
    ),
  ]);
  return team;
}

/** Reads a team by its id. Throws `NotFoundError` if there is none. */
export async function readTeam(id: string): Promise<Team> {
  const team = isTeamId(id) ? await getItem<Team>(setting('KEYS_TABLE'), { id }) : undefined;
  if (!team) throw new NotFoundError(`There is no team ${id}.`);
  return team;
}

/** Lists all teams, the oldest first. */
export const listTeams = () => listItems<Team>('team_');

/** Returns the teams' ids by their names. */
export const teamsByName = async () =>
  new Map((await listTeams()).map(({ name, id }) => [name, id]));

/** Changes a team and its account, with `by` in its history, in one transaction. Throws `NotFoundError`. */
export async function changeTeam(
  id: string,
  { extra_usd, customer, ...changes }: Partial<TeamLimits> & Extra,
  by: KeyChange['by'] = null,
): Promise<Team> {
  const read = () => readTeam(id);
  const beside = await extraNote(id, extra_usd, customer);
  const team = await changeFields<Team>(read, changes, { by, action: 'changed', beside });
  const { name, limits: further, ...limits } = changes;
  await followChanges(team, read, async (now) => {
    if (name !== undefined) await nameAccount(id, now.name);
    if (Object.keys(limits).length > 0 || extra_usd !== undefined) {
      const ofOwn = customer === undefined ? { extra_usd } : {};
      await changeAccountLimits(id, { ...now, ...noRequestLimits, ...ofOwn });
    }
    if (further) await setFurtherLimits(id, now.limits ?? []);
    if (customer !== undefined) await raiseCustomer(id, customer, extra_usd);
  });
  return team;
}

/** Makes the record of a team; `keys` are all keys that there are. */
export async function teamRecord(team: Team, keys: readonly ApiKey[]): Promise<TeamRecord> {
  const account = await readAccount(team.id);
  if (!account) throw new Error(`The team ${team.id} has no account`);
  const { changes: _, ...record } = team;
  return {
    ...record,
    budget: budgetOf(account),
    keys: keys
      .filter((key) => key.team === team.id)
      .map(({ id, name, state }) => ({ id, name, state })),
  };
}

/** Reads the owner of an account by its id: a key or a team. Throws `NotFoundError` if there is none. */
export const readAccountOwner = (id: string): Promise<ApiKey | Team> =>
  isTeamId(id) ? readTeam(id) : readKey(id);
