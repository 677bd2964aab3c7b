import { Worker } from 'node:worker_threads';
import { watchThread } from '../engines/engine.ts';

/** One that reads a table's stream. */
export interface StreamFollower {
  /** Calls back within 50 ms whenever the stream has new records, once for all that came meanwhile. */
  onRecords(notify: () => void): void;
  delivered(sequenceNumber: string): void;
}

/** The streams in a dynoxide file. Followers are told of new records; what all are done with is removed. */
export interface LocalStreams {
  /** Adds a follower of a stream. Records of its table are kept until the follower has delivered them. */
  follow(streamArn: string): StreamFollower;
  /** Trims what has been delivered so far, then stops. */
  close(): Promise<void>;
}

/** All followers of a table's stream are done up to this record. */
export interface TrimPoint {
  table: string;
  sequenceNumber: string;
}

/** A message to the thread: tables to watch, or to trim. */
export type StreamsMessage = { watch: string } | { trim: TrimPoint[] } | 'close';

/** A message from the thread: that it has begun, or which tables have new records. */
export type StreamsNews = 'ready' | string[];

const trimEveryMs = 1_000;

/** The state of a table's stream. */
interface Followed {
  notify: (() => void)[];
  /** The number of the last record that each follower is done with. */
  delivered: (bigint | undefined)[];
}

/** Watches and trims a dynoxide file's streams in a thread, as SQLite's calls are synchronous. `onDeath` tells of its end. */
export async function openStreams(
  path: string,
  onDeath: (reason: string) => void,
): Promise<LocalStreams> {
  const thread = new Worker(new URL('./streams-thread.ts', import.meta.url), {
    name: 'streams',
    workerData: path,
  });
  const tell = (message: StreamsMessage) => thread.postMessage(message);
  const { close } = await watchThread(thread, 'streams', onDeath);
  const tables = new Map<string, Followed>();
  thread.on('message', (news: string[]) => {
    for (const table of news) for (const notify of tables.get(table)?.notify ?? []) notify();
  });
  const trim = () => {
    const points = [...tables].flatMap(([table, followed]) => trimPointOf(table, followed) ?? []);
    if (points.length > 0) tell({ trim: points });
  };
  const timer = setInterval(trim, trimEveryMs).unref();
  return {
    follow: (streamArn) => {
      const table = tableOf(streamArn);
      const followed = tables.get(table) ?? { notify: [], delivered: [] };
      if (!tables.has(table)) tell({ watch: table });
      tables.set(table, followed);
      const index = followed.delivered.push(undefined) - 1;
      return {
        onRecords: (notify) => followed.notify.push(notify),
        delivered: (sequenceNumber) => {
          followed.delivered[index] = BigInt(sequenceNumber);
        },
      };
    },
    close: async () => {
      clearInterval(timer);
      trim();
      await close();
    },
  };
}

/** Returns undefined as long as one of the followers has not delivered anything. */
function trimPointOf(table: string, { delivered }: Followed): TrimPoint | undefined {
  const known = delivered.filter((position) => position !== undefined);
  if (known.length < delivered.length) return undefined;
  const least = known.reduce((one, other) => (one < other ? one : other));
  return { table, sequenceNumber: String(least) };
}

const tableOf = (streamArn: string) => streamArn.match(/:table\/([^/]+)\//)?.[1] ?? '';
