import { errorFields, log } from '../log.ts';
import { queryPages } from './dynamodb.ts';

/** What is due: a lane of a table's index `due`, and how many of it are looked at together. */
interface Due {
  table: string;
  lane: string;
  limit: number;
  /** The item's noun in the log. */
  thing: string;
  /** How long to go on before the rest is left to the next sweep; without it all are looked at. */
  patienceMs?: number;
}

/** Sweeps each item that is due by its key. One that fails is logged, and keeps the sweep from no other. */
export async function sweepDue<Key extends object>(
  { table, lane, limit, thing, patienceMs = Number.POSITIVE_INFINITY }: Due,
  sweep: (key: Key, untilMs: number) => Promise<void>,
): Promise<void> {
  const untilMs = Date.now() + patienceMs;
  let swept = 0;
  const pages = queryPages<Key>({
    TableName: table,
    IndexName: 'due',
    KeyConditionExpression: 'lane = :lane AND due_at <= :now',
    ExpressionAttributeValues: { ':lane': lane, ':now': new Date().toISOString() },
    Limit: limit,
  });
  for await (const { items } of pages) {
    if (Date.now() >= untilMs) break;
    await Promise.all(
      items.map((key) =>
        sweep(key, untilMs).catch((error: unknown) =>
          log('error', 'sweep of an item failed', { thing, ...key, ...errorFields(error) }),
        ),
      ),
    );
    swept += items.length;
  }
  if (swept > 0) log('info', 'items swept', { thing, lane, items: swept });
}
