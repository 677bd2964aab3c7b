import { createHash } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, getItem } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import type { HistoryEntry } from './stream-request.ts';

const keepSeconds = 24 * 3600;
/** An item may hold 400 KB; the oldest turns make room for the newest. */
const longestBytes = 300_000;
/** What is kept of each of the newest two where they are too long themselves: 6 bytes a character at most. */
const longestTurn = 25_000;

/** A conversation: one key's, and of one of its users. */
export interface SessionKey {
  keyId: string;
  userId: string;
  sessionId: string;
}

/** What the table holds of it beside its key. */
interface Session {
  turns_json: string;
  /** When it is forgotten, in epoch seconds. The table may take days to delete it. */
  expires_at: number;
}

/** Reads the turns of a session so far; none if it is new, forgotten or another key's. */
export async function sessionHistory(key: SessionKey): Promise<HistoryEntry[]> {
  const session = await getItem<Session>(setting('SESSIONS_TABLE'), itemKey(key));
  const isKept = session && session.expires_at > Date.now() / 1000;
  return isKept ? (JSON.parse(session.turns_json) as HistoryEntry[]) : [];
}

/** Keeps a session's turns for another 24 hours. */
export async function keepSession(key: SessionKey, turns: HistoryEntry[]): Promise<void> {
  await dynamodb.send(
    new PutCommand({
      TableName: setting('SESSIONS_TABLE'),
      Item: {
        ...itemKey(key),
        turns_json: JSON.stringify(newest(turns)),
        expires_at: Math.floor(Date.now() / 1000) + keepSeconds,
      },
    }),
  );
}

function newest(turns: HistoryEntry[]): HistoryEntry[] {
  const kept = [...turns];
  while (kept.length > 2 && isTooLong(kept)) kept.shift();
  if (!isTooLong(kept)) return kept;
  return kept.map((turn) => ({ ...turn, content: turn.content.slice(0, longestTurn) }));
}

const isTooLong = (turns: HistoryEntry[]) =>
  Buffer.byteLength(JSON.stringify(turns)) > longestBytes;

/**
 * Both parts are the caller's own words: JSON keeps one pair from reading like another, and a hash
 * keeps them within the 1,024 bytes that a sort key may have.
 */
const itemKey = ({ keyId, userId, sessionId }: SessionKey) => ({
  key_id: keyId,
  session: createHash('sha256')
    .update(JSON.stringify([userId, sessionId]))
    .digest('base64url'),
});
