import { randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import { putCharge } from '../../../shared/ledger/account/put-charge.ts';
import { type EndedCharge, figureNames, type UsageFigures } from '../../../shared/usage/figures.ts';
import { sum } from './ledger-world.ts';

export const newKeyId = () => `key_${randomUUID()}`;

/** Writes a charge that has ended into the ledger; answers it. */
export async function endedCharge(
  keyId: string,
  { ended_at = new Date().toISOString(), ...rest }: Partial<EndedCharge> = {},
): Promise<EndedCharge> {
  const charge: EndedCharge = {
    key_id: keyId,
    entry: `charge_${uuidv7({ msecs: Date.parse(ended_at) })}`,
    status: rest.failed ? 'released' : 'settled',
    hold: 1_000_000,
    window: 0,
    request: true,
    created_at: ended_at,
    ended_at,
    model: 'gpt-5-mini',
    tags: ['chat'],
    expires_at: Math.floor(Date.parse(ended_at) / 1000) + 400 * 86_400,
    ...rest,
  };
  await putCharge(charge);
  return charge;
}

/** The stream's records of charges, in the order given. */
export const eventOf = (charges: readonly EndedCharge[]): DynamoDBStreamEvent => ({
  Records: charges.map(
    (charge, index) =>
      ({
        dynamodb: { NewImage: marshall(charge), SequenceNumber: String(index + 1) },
      }) as DynamoDBRecord,
  ),
});

/** A key's usage, every figure by entry, without the marks of what was counted. */
export async function usageOf(keyId: string): Promise<Record<string, UsageFigures>> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('USAGE_TABLE'),
      KeyConditionExpression: 'key_id = :key',
      ExpressionAttributeValues: { ':key': keyId },
      ConsistentRead: true,
    }),
  );
  return Object.fromEntries(
    Items.filter(({ entry }) => !entry.startsWith('counted#')).map((item) => [
      item['entry'],
      Object.fromEntries(figureNames.map((name) => [name, item[name] ?? 0])) as UsageFigures,
    ]),
  );
}

const addUp = (all: UsageFigures[]) =>
  Object.fromEntries(figureNames.map((name) => [name, sum(all.map((each) => each[name]))]));

const matching = (usage: Record<string, UsageFigures>, pattern: RegExp) =>
  addUp(Object.entries(usage).flatMap(([entry, each]) => (pattern.test(entry) ? each : [])));

/** Expects that a key's total is the sum of its models and of its days, and `batch` that of its kinds. */
export function expectSums(usage: Record<string, UsageFigures>): void {
  const total = matching(usage, /^total$/);
  expect(matching(usage, /^model#all#/), 'models').toEqual(total);
  expect(matching(usage, /^model#\d/), 'days').toEqual(total);
  expect(matching(usage, /^tag#[^#]+#batch:/), 'kinds').toEqual(
    matching(usage, /^tag#[^#]+#batch$/),
  );
}

/** Expects that a key's usage is that of these charges, and of no other. */
export function expectUsage(
  usage: Record<string, UsageFigures>,
  charges: readonly EndedCharge[],
): void {
  expectSums(usage);
  const used = charges.map((charge) => ({
    requests: 1,
    failed_requests: Number(charge.status === 'released'),
    prompt_tokens: charge.prompt_tokens ?? 0,
    completion_tokens: charge.completion_tokens ?? 0,
    images: charge.images ?? 0,
    spend: charge.cost ?? 0,
  }));
  const sumWhere = (is: (charge: EndedCharge) => boolean) =>
    addUp(used.filter((_, index) => is(charges[index] as EndedCharge)));

  expect(usage['total'] ?? sumWhere(() => false)).toEqual(sumWhere(() => true));
  for (const { model, tags, ended_at } of charges) {
    const day = ended_at.slice(0, 10);
    const isOfDay = (charge: EndedCharge) => charge.ended_at.startsWith(day);
    expect(usage[`model#${day}#${model}`]).toEqual(
      sumWhere((charge) => isOfDay(charge) && charge.model === model),
    );
    for (const tag of tags) {
      expect(usage[`tag#${day}#${tag}`]).toEqual(
        sumWhere((charge) => isOfDay(charge) && charge.tags.includes(tag)),
      );
    }
  }
}
