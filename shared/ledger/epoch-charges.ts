import pLimit from 'p-limit';
import { queryItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import type { Charge } from './charge.ts';
import { chargeBounds } from './epoch.ts';
import { everInTeam, isTeamId } from './team.ts';

/** What the charges of an epoch add up to, of a key or of a team's keys. */
export interface EpochSums {
  /** What they cost, by the account's window in which they count. */
  costs: Map<number, number>;
  /** What they held. */
  held: number;
  /** How many of them were requests; 0 on a team, which counts none. */
  requests: number;
  /** Whether each of them says if it was a request. Those of before that was kept don't. */
  areWhole: boolean;
}

/** How many keys of a team have their charges read at once. */
const keysAtOnce = 8;

/** Adds up the charges of an epoch that are there now. */
export async function sumCharges(accountId: string, epoch: number): Promise<EpochSums> {
  const sums: EpochSums = { costs: new Map(), held: 0, requests: 0, areWhole: true };
  const add = ({ hold, cost = 0, request }: Summed, window = 0, isRequest = request) => {
    sums.costs.set(window, (sums.costs.get(window) ?? 0) + cost);
    sums.held += hold;
    if (isRequest) sums.requests += 1;
    if (request === undefined) sums.areWhole = false;
  };
  if (!isTeamId(accountId)) {
    for await (const charge of chargesOf(accountId, epoch)) add(charge, charge.window);
    return sums;
  }
  const addHeldBy = async (keyId: string) => {
    for await (const charge of chargesOf(keyId, epoch)) {
      if (charge.team === accountId) add(charge, charge.team_window, false);
    }
  };
  const limit = pLimit(keysAtOnce);
  const keyIds = await Array.fromAsync(everInTeam(accountId));
  await Promise.all(keyIds.map((keyId) => limit(addHeldBy, keyId)));
  return sums;
}

/** What of a charge is read: the rest would take a sweep a third of its time. */
const summed = ['hold', 'cost', 'request', 'window', 'team', 'team_window'] as const;

type Summed = Pick<Charge, (typeof summed)[number]>;

function chargesOf(keyId: string, epoch: number): AsyncGenerator<Summed> {
  const { from, to } = chargeBounds(epoch);
  return queryItems<Summed>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :key AND entry BETWEEN :from AND :to',
    ProjectionExpression: summed.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(summed.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: { ':key': keyId, ':from': from, ':to': to },
    ConsistentRead: true,
  });
}
