import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Passed } from './stream-trimmer.ts';

// The thread that trims the streams in dynoxide's file, which the engine has open too (SQLite's WAL mode
// allows that). dynoxide never trims, and finds the number of each new record by the largest of its
// table: by a scan, without the first of these indexes. The second serves readers.
// https://github.com/nubo-db/dynoxide
const db = new DatabaseSync(workerData as string);
db.exec(`
  PRAGMA busy_timeout = 5000;
  PRAGMA synchronous = NORMAL;
  CREATE INDEX IF NOT EXISTS quire_stream_numbers
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
  CREATE INDEX IF NOT EXISTS quire_stream_shards
    ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER));`);

/** Rows at a time, so that the engine's own writes never wait long. */
const rowsAtOnce = 500;

// The last record stays: the next one's number follows it.
const trim = db.prepare(`
  DELETE FROM _stream_records WHERE id IN (
    SELECT id FROM _stream_records
    WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER) LIMIT ${rowsAtOnce})`);

parentPort?.on('message', (message: Passed[] | 'close') => {
  if (message === 'close') {
    db.close();
    process.exit();
  }
  for (const { table, sequenceNumber } of message) {
    while (trim.run(table, sequenceNumber).changes === rowsAtOnce);
  }
});
parentPort?.postMessage('ready');
