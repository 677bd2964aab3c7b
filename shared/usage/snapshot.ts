import { queryItems } from '../aws/dynamodb.ts';
import { writeTransaction } from '../aws/transact.ts';
import { updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { ConflictError } from '../http/errors.ts';
import { figuresIn, totalEntry, type UsageFigures, type UsageItem } from './figures.ts';
import { addition, type Move, moveOn, readTotal, revisionAfter } from './total.ts';

/** A key's figures, by entry. */
export type Usage = Map<string, UsageFigures>;

/** A key's usage at a revision. Every later count has a higher one. */
export interface Snapshot {
  keyId: string;
  usage: Usage;
  revision: number;
  /** The revision of the last rebuild that had corrected it. */
  correctedIn: number | undefined;
}

const maxTries = 20;

/** Takes a revision, and reads the key's usage, again if it changed meanwhile. Throws `ConflictError` after 20 tries. */
export async function takeSnapshot(keyId: string): Promise<Snapshot> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const before = await readTotal(keyId);
    const revision = revisionAfter(before);
    const move: Move = { name: 'revision', from: before.revision, to: revision };
    if (!(await updateItem(moveOn(keyId, move)))) continue;
    const usage = await readUsage(keyId);
    const after = await readTotal(keyId);
    // Another rebuild may correct rows while they are read. Then `corrected_in` changes, and `correct` fails.
    const correctedIn = before.corrected_in;
    if (after.revision === revision) return { keyId, usage, revision, correctedIn };
  }
  throw new ConflictError(`The usage of ${keyId} changes too fast to be read: try again later.`);
}

/** Reads the rows. Marks sort before them; then come rows of models, rows of tags, and the total. */
async function readUsage(keyId: string): Promise<Usage> {
  const usage: Usage = new Map();
  const items = queryItems<UsageItem>({
    TableName: setting('USAGE_TABLE'),
    KeyConditionExpression: 'key_id = :key AND entry BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':key': keyId, ':first': 'model#', ':last': totalEntry },
    ConsistentRead: true,
  });
  for await (const item of items) usage.set(item.entry, figuresIn(item));
  return usage;
}

/** A transaction may have 100 items, and one of them is the total. */
const maxAdditions = 99;

/** Adds corrections to a snapshot's usage. Throws `ConflictError` if another rebuild has corrected it since. */
export async function correct(snapshot: Snapshot, corrections: Usage): Promise<void> {
  const { keyId, revision } = snapshot;
  const others = [...corrections].filter(([entry]) => entry !== totalEntry);
  let totalFigures = figuresIn(corrections.get(totalEntry));
  let correctedIn = snapshot.correctedIn;
  for (let first = 0; first === 0 || first < others.length; first += maxAdditions) {
    const move: Move = { name: 'corrected_in', from: correctedIn, to: revision };
    const failed = await writeTransaction([
      addition(keyId, totalEntry, totalFigures, move),
      ...others
        .slice(first, first + maxAdditions)
        .map(([entry, figures]) => addition(keyId, entry, figures)),
    ]);
    if (failed) {
      throw new ConflictError(
        `The usage of ${keyId} is being rebuilt by another: try again later.`,
      );
    }
    totalFigures = figuresIn({});
    correctedIn = revision;
  }
}
