import pLimit, { type LimitFunction } from 'p-limit';
import { queryItems } from '../../aws/dynamodb.ts';
import { putItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { log } from '../../log.ts';
import { type AccountHold, costOn, holdsOfCharge } from '../account/account-hold.ts';
import { chargeBounds } from '../account/epoch.ts';
import { chargePut } from '../account/put-charge.ts';
import { keysOn } from '../parts/members.ts';
import { isBeside, ownerOf } from '../terms/account-ids.ts';
import type { Charge, NotedUse } from '../terms/charge.ts';

/** What the charges of an epoch add up to, of a key or of a team's keys. */
export interface EpochSums {
  /** What they cost, by the account's window in which they count. */
  costs: Map<number, number>;
  /** What they held. */
  held: number;
  /** How many of them were requests, where the account counts them. */
  requests: number;
}

/** How many keys of a team have their charges read at once. */
const keysAtOnce = 8;

/** Adds up the charges of an epoch that are there now. */
export const sumCharges = (accountId: string, epoch: number) => sumOf(chargesOf)(accountId, epoch);

/**
 * Returns a function that sums an epoch whose calls are all over: one without a charge is charged what was noted of it. It
 * reads a team's keys once, at its first call, for all parts.
 */
export const finalSums = () => sumOf(finalChargesOf);

function sumOf(read: typeof chargesOf): (accountId: string, epoch: number) => Promise<EpochSums> {
  const limit = pLimit(keysAtOnce);
  const ofTeams = new Map<string, Promise<Map<string, EpochSums>>>();
  return async (accountId, epoch) => {
    if (!isBeside(accountId)) return sumOfKey(read(accountId, epoch));
    const ownerId = ownerOf(accountId);
    const name = `${ownerId} ${epoch}`;
    const sums = ofTeams.get(name) ?? sumsBeside(ownerId, (keyId) => read(keyId, epoch), limit);
    ofTeams.set(name, sums);
    return (await sums).get(accountId) ?? noCharges();
  };
}

async function sumOfKey(charges: AsyncGenerator<Summed>): Promise<EpochSums> {
  const sums = noCharges();
  for await (const charge of charges) {
    const [own] = holdsOfCharge(charge);
    if (own) add(sums, charge, own);
  }
  return sums;
}

/** By the part of a team, or of a further limit, that the charges were held on. */
async function sumsBeside(
  ownerId: string,
  read: (keyId: string) => AsyncGenerator<Summed>,
  limit: LimitFunction,
): Promise<Map<string, EpochSums>> {
  const byPart = new Map<string, EpochSums>();
  const addThoseOf = async (keyId: string) => {
    for await (const charge of read(keyId)) {
      const part = holdsOfCharge(charge).find(({ key_id }) => ownerOf(key_id) === ownerId);
      if (!part) continue;
      const sums = byPart.get(part.key_id) ?? noCharges();
      byPart.set(part.key_id, sums);
      add(sums, charge, part);
    }
  };
  const keyIds = await Array.fromAsync(keysOn(ownerId));
  await Promise.all(keyIds.map((keyId) => limit(addThoseOf, keyId)));
  return byPart;
}

const noCharges = (): EpochSums => ({ costs: new Map(), held: 0, requests: 0 });

function add(sums: EpochSums, charge: Summed, part: AccountHold): void {
  const { key_id, window, holdNanoUsd, isRequest } = part;
  sums.costs.set(window, (sums.costs.get(window) ?? 0) + costOn(key_id, charge));
  sums.held += holdNanoUsd;
  if (isRequest) sums.requests += 1;
}

/** The fields of a charge that are read: the rest would take a sweep a third of its time. An item with `charge` is a note. */
const summed = [
  ...(['key_id', 'entry', 'hold', 'cost', 'request', 'window', 'team', 'team_window'] as const),
  ...(['further', 'hold_tokens', 'prompt_tokens', 'completion_tokens'] as const),
];

type Summed = Pick<Charge, (typeof summed)[number]>;

async function* chargesOf(keyId: string, epoch: number): AsyncGenerator<Summed> {
  for await (const item of itemsOf(keyId, epoch)) if (!('charge' in item)) yield item;
}

/** Reads charges as `chargesOf` does, and writes those of calls that have none and were noted. */
async function* finalChargesOf(keyId: string, epoch: number): AsyncGenerator<Summed> {
  let last = '';
  for await (const item of itemsOf(keyId, epoch)) {
    if ('charge' in item && item.charge.entry === last) continue;
    last = item.entry;
    yield 'charge' in item ? await chargeNoted(item) : item;
  }
}

/** Charges a call whose process died what was noted of it, unless another audit has: nothing else writes it any more. */
async function chargeNoted({ charge }: NotedUse): Promise<Charge> {
  const { key_id, entry: charge_id, cost } = charge;
  if (await putItem(chargePut(charge)))
    log('warn', 'lost call charged', { key_id, charge_id, cost });
  return charge;
}

/** Reads charges and notes in their order: a note comes right after the charge of its call. */
function itemsOf(keyId: string, epoch: number): AsyncGenerator<Summed | NotedUse> {
  const { from, to } = chargeBounds(epoch);
  return queryItems<Summed | NotedUse>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :key AND entry BETWEEN :from AND :to',
    ProjectionExpression: `charge, ${summed.map((name) => `#${name}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(summed.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: { ':key': keyId, ':from': from, ':to': to },
    ConsistentRead: true,
  });
}
