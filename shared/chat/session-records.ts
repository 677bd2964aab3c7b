import * as v from 'valibot';
import { queryPages } from '../aws/dynamodb.ts';
import { putItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { NotFoundError } from '../http/errors.ts';
import { typedMessage } from '../http/field-errors.ts';
import { Count, Instant } from '../http/schema.ts';
import {
  type DeletedSessionMark,
  deletedForMs,
  findSession,
  itemKey,
  keepMs,
  type Session,
  turnsOf,
} from './session.ts';
import { HistoryEntry, SessionId, UserId } from './stream-request.ts';

const Cursor = v.pipe(
  v.string(),
  v.transform((cursor) => Buffer.from(cursor, 'base64url').toString()),
  v.regex(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [\w-]{43}$/,
    typedMessage('value_error', 'Value error, not a cursor of ours'),
  ),
);

/** The query of `GET /chat/sessions`. */
export const SessionListQuery = v.object({
  cursor: v.optional(Cursor),
  user_id: v.optional(UserId),
});
type SessionListQuery = v.InferOutput<typeof SessionListQuery>;

/** The path of a route to one session, and its query: users may have sessions of the same id. */
export const SessionPath = v.object({ session_id: SessionId });
export const SessionQuery = v.object({ user_id: v.optional(UserId, 'anonymous') });

export const SessionEntry = v.object({
  session_id: v.string(),
  user_id: v.string(),
  message_count: Count,
  updated_at: Instant,
  expires_at: Instant,
});
export type SessionEntry = v.InferOutput<typeof SessionEntry>;

/** The response of `GET /chat/sessions`. */
export const SessionList = v.object({
  sessions: v.array(SessionEntry),
  next_cursor: v.nullable(v.string()),
});
type SessionList = v.InferOutput<typeof SessionList>;

/** The response of `GET /chat/sessions/{session_id}`. */
export const SessionRecord = v.object({ ...SessionEntry.entries, messages: v.array(HistoryEntry) });
export type SessionRecord = v.InferOutput<typeof SessionRecord>;

/** The response of `DELETE /chat/sessions/{session_id}`. */
export const DeletedSession = v.object({
  session_id: v.string(),
  user_id: v.string(),
  deleted: v.literal(true),
});
type DeletedSession = v.InferOutput<typeof DeletedSession>;

/** Which session of a caller is meant. */
type SessionName = Pick<SessionEntry, 'session_id' | 'user_id'>;

const pageSize = 50;
/** A user may have few of a key's sessions: after this many reads the list stops, and says where to go on. */
const maxReadsPerList = 20;

/** Lists the caller's sessions, those with the newest messages first. */
export async function listSessions(
  { keyId }: Caller,
  { cursor, user_id }: SessionListQuery,
): Promise<SessionList> {
  const sessions: Session[] = [];
  let unreadFrom: Record<string, unknown> | undefined;
  let reads = 0;
  const [updated_at = '', session] = cursor?.split(' ') ?? [];
  const oldest = new Date(Date.now() - keepMs).toISOString();
  // DynamoDB refuses to begin where a query doesn't reach; all that follows has been forgotten.
  if (cursor && updated_at <= oldest) return { sessions: [], next_cursor: null };
  const pages = queryPages<Session>({
    TableName: setting('SESSIONS_TABLE'),
    IndexName: 'recent',
    KeyConditionExpression: 'key_id = :key AND updated_at > :oldest',
    ...(user_id !== undefined && { FilterExpression: 'user_id = :user' }),
    ExpressionAttributeValues: {
      ':key': keyId,
      ':oldest': oldest,
      ...(user_id !== undefined && { ':user': user_id }),
    },
    ...(cursor && { ExclusiveStartKey: { key_id: keyId, updated_at, session } }),
    ScanIndexForward: false,
    Limit: user_id === undefined ? pageSize + 1 : 1000,
  });
  for await (const { items, lastKey } of pages) {
    sessions.push(...items);
    unreadFrom = lastKey;
    reads += 1;
    if (sessions.length > pageSize || reads === maxReadsPerList) break;
  }
  const page = sessions.slice(0, pageSize);
  const next = sessions.length > pageSize ? page.at(-1) : unreadFrom;
  return {
    sessions: page.map(toEntry),
    next_cursor: next
      ? Buffer.from(`${next['updated_at']} ${next['session']}`).toString('base64url')
      : null,
  };
}

/** Reads one session of the caller, its messages included. Throws `NotFoundError` if there is none. */
export async function getSession(caller: Caller, name: SessionName): Promise<SessionRecord> {
  const session = await findSession(keyOf(caller, name));
  if (!session) throw noSuchSession();
  return { ...toEntry(session), messages: turnsOf(session) };
}

/**
 * Erases one session of the caller: a mark takes its place, which keeps an answer that is being written from bringing it
 * back. Throws `NotFoundError` if there is none, unless something `else` of it was erased.
 */
export async function deleteSession(
  caller: Caller,
  name: SessionName,
  { else: isElse = false } = {},
): Promise<DeletedSession> {
  const now = Date.now();
  const mark: DeletedSessionMark & { key_id: string } = {
    ...keyOf(caller, name),
    deleted_at: now,
    expires_at: Math.floor((now + deletedForMs) / 1000),
  };
  const deleted = await putItem({
    TableName: setting('SESSIONS_TABLE'),
    Item: mark,
    ConditionExpression: 'expires_at > :now AND attribute_not_exists(deleted_at)',
    ExpressionAttributeValues: { ':now': Math.floor(now / 1000) },
  });
  if (!deleted && !isElse) throw noSuchSession();
  return { ...name, deleted: true };
}

const keyOf = ({ keyId }: Caller, { user_id, session_id }: SessionName) =>
  itemKey({ keyId, userId: user_id, sessionId: session_id });

function toEntry({ session_id, user_id, message_count, updated_at, expires_at }: Session) {
  const expiresAt = new Date(expires_at * 1000).toISOString();
  return { session_id, user_id, message_count, updated_at, expires_at: expiresAt };
}

/** This 404 is the same for another key's session. */
const noSuchSession = () => new NotFoundError('There is no such session.');
