import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { TrimPoint } from './stream-trimmer.ts';

// The thread that trims the streams in dynoxide's file. The engine has the file open too, which SQLite's WAL
// mode allows. dynoxide itself never trims. It finds the number of a new record as one more than the largest of
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

parentPort?.on('message', (message: TrimPoint[] | 'close') => {
  if (message === 'close') {
    db.close();
    process.exit();
  }
  for (const { table, sequenceNumber } of message) {
    while (trim.run(table, sequenceNumber).changes === rowsAtOnce);
  }
});
parentPort?.postMessage('ready');
