import { hash } from 'node:crypto';
import { getItem } from '../aws/dynamodb.ts';
import { putItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { truncated } from '../truncated.ts';
import type { HistoryEntry } from './stream-request.ts';

/** How long a session is kept after its last message. */
export const keepMs = 24 * 3_600_000;
/**
 * The most bytes of a session's turns. The oldest turns are dropped first. An item may have 400 KB.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
const maxBytes = 300_000;
/**
 * How many characters are kept of each of the newest two turns if they alone are too long. One takes at most
 * 6 bytes in JSON.
 */
const maxTurnLength = 25_000;

/** Names a conversation of one user of a key. */
export interface SessionKey {
  keyId: string;
  userId: string;
  sessionId: string;
}

/** What the table holds of a conversation, beside its key. */
export interface Session {
  /** The hash of both ids, which is the table's sort key. */
  session: string;
  session_id: string;
  user_id: string;
  turns_json: string;
  message_count: number;
  updated_at: string;
  /**
   * When it is forgotten, in seconds since 1970. The table may take days to delete it.
   * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
   */
  expires_at: number;
}

/**
 * The mark in place of a deleted session, under the same key: an answer that was being written at that moment is not
 * kept. It is forgotten once no such answer can be left, as none takes more than 15 minutes.
 */
export interface DeletedSessionMark extends Pick<Session, 'session' | 'expires_at'> {
  deleted_at: number;
}

/** How long a deleted session is known to be one. */
export const deletedForMs = 20 * 60_000;

/** Reads the turns of a session so far. There are none if it is new, forgotten, deleted or another key's. */
export async function sessionHistory(key: SessionKey): Promise<HistoryEntry[]> {
  const session = await findSession(itemKey(key));
  return session ? turnsOf(session) : [];
}

/** Finds a session; undefined if it is forgotten or deleted. */
export async function findSession(key: ReturnType<typeof itemKey>): Promise<Session | undefined> {
  const item = await getItem<Session | DeletedSessionMark>(setting('SESSIONS_TABLE'), key);
  const isKept = item && !('deleted_at' in item) && item.expires_at > Date.now() / 1000;
  return isKept ? item : undefined;
}

/** The turns of a session. */
export const turnsOf = ({ turns_json }: Session) => JSON.parse(turns_json) as HistoryEntry[];

/**
 * Keeps a session's turns for another 24 hours, the last of which began at `beganMs`. They are dropped if the session was
 * deleted since then.
 */
export async function keepSession(
  key: SessionKey,
  turns: HistoryEntry[],
  beganMs: number,
): Promise<void> {
  const now = Date.now();
  const kept = newest(turns);
  const session: Session & { key_id: string } = {
    ...itemKey(key),
    session_id: key.sessionId,
    user_id: key.userId,
    turns_json: JSON.stringify(kept),
    message_count: kept.length,
    updated_at: new Date(now).toISOString(),
    expires_at: Math.floor((now + keepMs) / 1000),
  };
  await putItem({
    TableName: setting('SESSIONS_TABLE'),
    Item: session,
    ConditionExpression: 'attribute_not_exists(deleted_at) OR deleted_at < :began',
    ExpressionAttributeValues: { ':began': beganMs },
  });
}

/** Returns the newest turns that fit, two at least, which are cut if they alone are too long. */
function newest(turns: HistoryEntry[]): HistoryEntry[] {
  let from = turns.length;
  // Each turn is followed by a comma, or by the end of the list.
  for (let bytes = 1; from > 0; from -= 1) {
    bytes += Buffer.byteLength(JSON.stringify(turns[from - 1])) + 1;
    if (bytes > maxBytes) break;
  }
  if (from === 0 || turns.length - from >= 2) return turns.slice(from);
  return turns
    .slice(-2)
    .map((turn) => ({ ...turn, content: truncated(turn.content, maxTurnLength) }));
}

/**
 * Makes the item's key. The caller chooses both ids freely: JSON keeps two different pairs apart, and the hash
 * keeps them within the 1,024 bytes of a sort key.
 */
export const itemKey = ({ keyId, userId, sessionId }: SessionKey) => ({
  key_id: keyId,
  session: hash('sha256', JSON.stringify([userId, sessionId]), 'base64url'),
});
