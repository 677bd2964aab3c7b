import { setTimeout as pause } from 'node:timers/promises';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
} from '@aws-sdk/client-dynamodb';
import { CommandError } from '../command-line.ts';

/** A table, and the new one that it is restored into. */
export interface Restoration {
  source: string;
  target: string;
}

/**
 * Returns which tables can be restored, and into what, and which have no recovery. Throws CommandError for another
 * instant.
 */
export async function restorationsOf(
  dynamodb: DynamoDBClient,
  tables: string[],
  to: Date,
): Promise<{ restorations: Restoration[]; unrestorable: string[] }> {
  const restorations: Restoration[] = [];
  const unrestorable: string[] = [];
  for (const source of tables) {
    const { ContinuousBackupsDescription } = await dynamodb.send(
      new DescribeContinuousBackupsCommand({ TableName: source }),
    );
    const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    const { EarliestRestorableDateTime: from, LatestRestorableDateTime: until } = recovery ?? {};
    if (!from || !until) {
      unrestorable.push(source);
      continue;
    }
    if (to < from || to > until) {
      throw new CommandError(
        `--to should be an instant from ${from.toISOString()} to ${until.toISOString()}: so far ${source} can be restored.`,
      );
    }
    restorations.push({ source, target: targetOf(source, to) });
  }
  return { restorations, unrestorable };
}

/** `quire-prod-ledgertable-1ABC` becomes `quire-prod-ledgertable-1ABC-20261124T100000Z`: `npm run adopt` knows it by that. */
function targetOf(source: string, to: Date): string {
  const instant = to.toISOString().replace(/[-:]|\.\d+/g, '');
  return `${source.replace(/-\d{8}T\d{6}Z$/, '')}-${instant}`;
}

/** Begins the restorations. One that an earlier call has begun goes on. */
export async function beginRestorations(
  dynamodb: DynamoDBClient,
  restorations: readonly Restoration[],
  RestoreDateTime: Date,
): Promise<void> {
  for (const { source: SourceTableName, target: TargetTableName } of restorations) {
    try {
      await dynamodb.send(
        new RestoreTableToPointInTimeCommand({ SourceTableName, TargetTableName, RestoreDateTime }),
      );
    } catch (error) {
      if (!(error instanceof TableAlreadyExistsException)) throw error;
    }
  }
}

/** The longest pause between two looks: a restore takes from minutes to hours for a table of any size. */
const maxPauseMs = 20_000;

/** Waits until tables can be used. `note` is told how many can. */
export async function untilActive(
  dynamodb: DynamoDBClient,
  tables: readonly string[],
  note: (active: number) => void = () => {},
): Promise<void> {
  for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    const found = await Promise.all(
      tables.map((TableName) => dynamodb.send(new DescribeTableCommand({ TableName }))),
    );
    const active = found.filter(({ Table }) => Table?.TableStatus === 'ACTIVE').length;
    note(active);
    if (active === tables.length) return;
    await pause(pauseMs);
  }
}
