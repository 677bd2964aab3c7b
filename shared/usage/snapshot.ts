import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, queryItems, unlessConditionFails } from '../aws/dynamodb.ts';
import { failedConditions } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { ConflictError } from '../http/errors.ts';
import { totalEntry } from './entries.ts';
import { figuresIn, type UsageFigures, type UsageItem } from './figures.ts';
import { addition, moveOn, readTotal, revisionAfter, type Total } from './total.ts';

/** Figures by entry. */
export type Usage = Map<string, UsageFigures>;

/** A key's usage at a revision that every later write comes after. */
export interface Snapshot {
  keyId: string;
  usage: Usage;
  revision: number;
  correctedIn: number | undefined;
}

const mostTries = 20;

/** Draws a line under a key's usage by a revision of its own, and reads what is above it. */
export async function takeSnapshot(keyId: string): Promise<Snapshot> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const before = await readTotal(keyId);
    const revision = revisionAfter(before);
    if (!(await drawLine(keyId, before, revision))) continue;
    const usage = await readUsage(keyId);
    const after = await readTotal(keyId);
    // What was corrected while it was read is not seen: the number of before tells that at the end.
    const correctedIn = before.corrected_in;
    if (after.revision === revision) return { keyId, usage, revision, correctedIn };
  }
  throw new ConflictError(`The usage of ${keyId} changes too fast to be read: try again later.`);
}

function drawLine(keyId: string, { revision: before }: Total, revision: number) {
  return unlessConditionFails(
    dynamodb.send(
      new UpdateCommand({
        TableName: setting('USAGE_TABLE'),
        Key: { key_id: keyId, entry: totalEntry },
        ...moveOn('revision', before, revision),
      }),
    ),
  );
}

async function readUsage(keyId: string): Promise<Usage> {
  const usage: Usage = new Map();
  const items = queryItems<UsageItem>({
    TableName: setting('USAGE_TABLE'),
    KeyConditionExpression: 'key_id = :key',
    ExpressionAttributeValues: { ':key': keyId },
    ConsistentRead: true,
  });
  for await (const item of items) usage.set(item.entry, figuresIn(item));
  return usage;
}

const mostAdditions = 99;

/** Adds corrections to what a snapshot showed, unless another has corrected it since. */
export async function correct(snapshot: Snapshot, corrections: Usage): Promise<void> {
  const { keyId, revision } = snapshot;
  const others = [...corrections].filter(([entry]) => entry !== totalEntry);
  let ofTotal = figuresIn(corrections.get(totalEntry));
  let correctedIn = snapshot.correctedIn;
  for (let first = 0; first === 0 || first < others.length; first += mostAdditions) {
    const failed = await failedConditions([
      addition(keyId, totalEntry, ofTotal, moveOn('corrected_in', correctedIn, revision)),
      ...others
        .slice(first, first + mostAdditions)
        .map(([entry, figures]) => addition(keyId, entry, figures)),
    ]);
    if (failed) {
      throw new ConflictError(
        `The usage of ${keyId} is being rebuilt by another: try again later.`,
      );
    }
    ofTotal = figuresIn({});
    correctedIn = revision;
  }
}
