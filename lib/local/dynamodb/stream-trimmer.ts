import { Worker } from 'node:worker_threads';

/** Removes the stream records that every reader has read, so that the next stage begins after them. */
export interface StreamTrimmer {
  /** Adds a reader of a stream. Returns what it calls with the number of the last record it is done with. */
  addReader(streamArn: string): (sequenceNumber: string) => void;
  /** Trims what has been read so far, then stops. */
  close(): Promise<void>;
}

/** A message to the trimmer's thread: all readers of a table's stream are done up to this record. */
export interface TrimPoint {
  table: string;
  sequenceNumber: string;
}

const trimEveryMs = 1_000;

/** Starts trimming the streams of a dynoxide file, in a thread of its own: SQLite's calls are synchronous. */
export async function startStreamTrimmer(path: string): Promise<StreamTrimmer> {
  const thread = new Worker(new URL('./stream-trimmer-thread.ts', import.meta.url), {
    name: 'stream-trimmer',
    workerData: path,
  });
  await new Promise((resolve, reject) => {
    thread.once('message', resolve).once('error', reject);
  });
  /** By table, the number of the last record that each reader is done with. */
  const positions = new Map<string, (bigint | undefined)[]>();
  const trim = () => {
    const points = [...positions].flatMap(([table, read]) => trimPointOf(table, read) ?? []);
    if (points.length > 0) thread.postMessage(points);
  };
  const timer = setInterval(trim, trimEveryMs).unref();
  return {
    addReader: (streamArn) => {
      const table = tableOf(streamArn);
      const read = positions.get(table) ?? [];
      positions.set(table, read);
      const index = read.push(undefined) - 1;
      return (sequenceNumber) => {
        read[index] = BigInt(sequenceNumber);
      };
    },
    close: async () => {
      clearInterval(timer);
      const closed = new Promise((resolve) => thread.once('exit', resolve));
      trim();
      thread.postMessage('close');
      await closed;
    },
  };
}

/** Returns undefined as long as one of the readers has not read anything. */
function trimPointOf(table: string, read: (bigint | undefined)[]): TrimPoint | undefined {
  const known = read.filter((position) => position !== undefined);
  if (known.length < read.length) return undefined;
  const least = known.reduce((one, other) => (one < other ? one : other));
  return { table, sequenceNumber: String(least) };
}

const tableOf = (streamArn: string) => streamArn.match(/:table\/([^/]+)\//)?.[1] ?? '';
