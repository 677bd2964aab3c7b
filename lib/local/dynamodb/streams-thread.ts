import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { StreamsMessage, StreamsNews, TrimPoint } from './streams.ts';

// The thread that watches and trims the streams in dynoxide's file. The engine has the file open too, which SQLite's
// WAL mode allows. dynoxide itself never trims. It finds the number of a new record as one more than the largest of
// the table's: the first index spares it a scan over all records. The second index serves readers.
// @see https://github.com/nubo-db/dynoxide
const db = new DatabaseSync(workerData as string);
db.exec(`
  PRAGMA busy_timeout = 5000;
  PRAGMA synchronous = NORMAL;
  CREATE INDEX IF NOT EXISTS quire_stream_numbers
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
  CREATE INDEX IF NOT EXISTS quire_stream_shards
    ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER));`);

/** How many rows are deleted at a time: few enough that the engine's own writes never wait long. */
const rowsAtOnce = 500;

// The last record that was read stays, because the next record's number follows its.
const trim = db.prepare(`
  DELETE FROM _stream_records WHERE id IN (
    SELECT id FROM _stream_records
    WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER) LIMIT ${rowsAtOnce})`);

// @see https://sqlite.org/pragma.html#pragma_data_version
const version = db.prepare('PRAGMA data_version');
const newest = db.prepare(`
  SELECT CAST(MAX(CAST(sequence_number AS INTEGER)) AS TEXT) AS number
  FROM _stream_records WHERE table_name = ?`);

/** The pause between two looks, which is longer at rest: each wakes a core. */
const pauseMs = 10;
const restingPauseMs = 50;
const restAfterMs = 1_000;

let newsAt = 0;
let versionSeen: unknown;
/** The number of the newest record that was seen, by watched table. */
const newestSeen = new Map<string, unknown>();

/** Tells of tables that have new records. What it costs while the engine writes nothing is a look at shared memory. */
function look(): void {
  const { data_version: versionNow } = version.get() ?? {};
  if (versionNow === versionSeen) return;
  versionSeen = versionNow;
  const written: string[] = [];
  for (const [table, seen] of newestSeen) {
    const { number } = newest.get(table) ?? {};
    if (number === seen) continue;
    newestSeen.set(table, number);
    written.push(table);
  }
  if (written.length === 0) return;
  newsAt = Date.now();
  send(written);
}

function keepLooking(): void {
  look();
  setTimeout(keepLooking, Date.now() - newsAt < restAfterMs ? pauseMs : restingPauseMs);
}

function trimTo(points: TrimPoint[]): void {
  for (const { table, sequenceNumber } of points) {
    while (trim.run(table, sequenceNumber).changes === rowsAtOnce);
  }
}

const send = (news: StreamsNews) => parentPort?.postMessage(news);

parentPort?.on('message', (message: StreamsMessage) => {
  if (message === 'close') {
    db.close();
    process.exit();
  } else if ('watch' in message) {
    newestSeen.set(message.watch, null);
    versionSeen = undefined;
  } else {
    trimTo(message.trim);
  }
});
keepLooking();
send('ready');
