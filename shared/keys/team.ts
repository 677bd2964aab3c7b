import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { dynamodb, getItem, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { NotFoundError } from '../http/errors.ts';
import { findAccount, openAccount } from '../ledger/account.ts';
import { changeAccountLimits } from '../ledger/change-limits.ts';
import { nameTeamAccount } from '../ledger/team.ts';
import { type ApiKey, listItems } from './key.ts';
import type { KeyLimits } from './key-limits.ts';
import { type Budget, budgetOf } from './limits-report.ts';

/** What an operator sets of a team. */
export interface TeamLimits extends Pick<KeyLimits, 'budget_usd' | 'duration'> {
  name: string;
}

/** Keys that share a budget, as the keys table holds them. A team is never deleted. */
export interface Team extends TeamLimits {
  id: string;
  created_at: string;
}

/** A team as its operator sees it, with its budget as it is now. */
export interface TeamRecord extends Team {
  budget: Budget;
  /** The keys that are in it. */
  keys: Pick<ApiKey, 'id' | 'name' | 'state'>[];
}

/** A team's requests are counted by its keys' own limits alone. */
const noRequestLimits = { requests_per_minute: null, max_concurrent: null };

/** Makes a team of no keys, and opens its account. */
export async function createTeam(limits: TeamLimits): Promise<Team> {
  const team: Team = {
    id: `team_${uuidv7()}`,
    ...limits,
    created_at: new Date().toISOString(),
  };
  // The account comes first, so that a team that can be found has one.
  await openAccount(team.id, team.created_at, { ...team, ...noRequestLimits }, team.name);
  await dynamodb.send(new PutCommand({ TableName: setting('KEYS_TABLE'), Item: team }));
  return team;
}

/** Reads a team by its id. Throws `NotFoundError` if there is none. */
export async function readTeam(id: string): Promise<Team> {
  const team = await getItem<Team>(setting('KEYS_TABLE'), { id });
  if (!team) throw noSuchTeam(id);
  return team;
}

/** Lists all teams, the oldest first. */
export const listTeams = () => listItems<Team>('team_');

/** Returns the teams' ids by their names. */
export const teamsByName = async () =>
  new Map((await listTeams()).map(({ name, id }) => [name, id]));

/** Changes a team's name or budget, and its account with them. Throws `NotFoundError` if there is no such team. */
export async function changeTeam(id: string, changes: Partial<TeamLimits>): Promise<Team> {
  const names = Object.keys(changes) as (keyof TeamLimits)[];
  const changed = await unlessConditionFails(
    dynamodb.send(
      new UpdateCommand({
        TableName: setting('KEYS_TABLE'),
        Key: { id },
        ConditionExpression: 'attribute_exists(id)',
        UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          names.map((name) => [`:${name}`, changes[name]]),
        ),
        ReturnValues: 'ALL_NEW',
      }),
    ),
  );
  if (!changed) throw noSuchTeam(id);
  const team = changed.Attributes as Team;
  if (changes.name !== undefined) await nameTeamAccount(id, changes.name);
  if (names.some((name) => name !== 'name')) {
    await changeAccountLimits(id, { ...team, ...noRequestLimits });
  }
  return team;
}

/** Makes the record of a team; `keys` are all keys that there are. */
export async function teamRecord(team: Team, keys: readonly ApiKey[]): Promise<TeamRecord> {
  const account = await findAccount(team.id);
  if (!account) throw new Error(`The team ${team.id} has no account`);
  return {
    ...team,
    budget: budgetOf(account),
    keys: keys
      .filter((key) => key.team === team.id)
      .map(({ id, name, state }) => ({ id, name, state })),
  };
}

const noSuchTeam = (id: string) => new NotFoundError(`There is no team ${id}.`);
