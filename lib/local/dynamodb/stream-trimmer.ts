import { Worker } from 'node:worker_threads';

/** Forgets the stream records that every reader has passed: what is left is where the next stage begins. */
export interface StreamTrimmer {
  /** Names a reader of a stream; the function it returns tells how far that reader has come. */
  follow(streamArn: string): (sequenceNumber: string) => void;
  /** Trims what was passed so far, then stops. */
  close(): Promise<void>;
}

/** What the trimmer's thread is told: up to where all readers of a table's stream have come. */
export interface Passed {
  table: string;
  sequenceNumber: string;
}

const trimEveryMs = 1_000;

/** Starts trimming the streams of a dynoxide file, in a thread of its own: SQLite's calls are synchronous. */
export async function startStreamTrimmer(path: string): Promise<StreamTrimmer> {
  const thread = new Worker(new URL('./stream-trimmer-thread.ts', import.meta.url), {
    workerData: path,
  });
  await new Promise((resolve, reject) => {
    thread.once('message', resolve).once('error', reject);
  });
  const readers = new Map<string, (bigint | undefined)[]>();
  const trim = () => {
    const passed = [...readers].flatMap(([table, positions]) => passedBy(table, positions));
    if (passed.length > 0) thread.postMessage(passed);
  };
  const timer = setInterval(trim, trimEveryMs).unref();
  return {
    follow: (streamArn) => {
      const table = tableOf(streamArn);
      const positions = readers.get(table) ?? [];
      readers.set(table, positions);
      const index = positions.push(undefined) - 1;
      return (sequenceNumber) => {
        positions[index] = BigInt(sequenceNumber);
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

/** Nothing where one of the readers has not read yet. */
function passedBy(table: string, positions: (bigint | undefined)[]): Passed[] {
  const known = positions.filter((position) => position !== undefined);
  if (known.length < positions.length) return [];
  const least = known.reduce((one, other) => (one < other ? one : other));
  return [{ table, sequenceNumber: String(least) }];
}

const tableOf = (streamArn: string) => streamArn.match(/:table\/([^/]+)\//)?.[1] ?? '';
