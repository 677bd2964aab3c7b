import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expressUpdate } from '../aws/express-update.ts';
import { putItem, updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import type { FeedbackReceipt, FeedbackRequest } from './request.ts';

/** A rating as the table holds it. The contents that it rates lie in items of their own. */
export interface Feedback extends Omit<FeedbackRequest, ContentName> {
  key_id: string;
  /** `<message>#rating`; `<message>` is a hash of the session and the message's id or, without one, both contents. */
  entry: string;
  id: string;
  created_at: string;
  updated_at: string;
  /** The UTC day of its creation, which is the partition of the index `days`. */
  day: string;
  /** When the table forgets it, in seconds since 1970. */
  expires_at: number;
}

/**
 * The rated contents, an item each, as an item may hold 400 KB.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
export const contentNames = ['message_content', 'user_message'] as const;
type ContentName = (typeof contentNames)[number];

const keepSeconds = 400 * 86_400;

/**
 * Keeps a caller's rating. Another one of the same message replaces it, with the first id and creation time. Contents
 * are written first.
 */
export async function recordFeedback(
  { keyId }: Caller,
  request: FeedbackRequest,
): Promise<FeedbackReceipt> {
  const message = messageOf(request);
  const now = Date.now();
  const expires_at = Math.floor(now / 1000) + keepSeconds;
  await Promise.all(
    contentNames.map(
      (name) =>
        request[name] &&
        put({ key_id: keyId, entry: `${message}#${name}`, content: request[name], expires_at }),
    ),
  );
  const { id, session_id, message_id, rating, created_at } = await putRating(
    { key_id: keyId, entry: `${message}#rating` },
    request,
    now,
    expires_at,
  );
  return { id, session_id, message_id, rating, created_at };
}

function messageOf({ session_id, message_id, message_content, user_message }: FeedbackRequest) {
  const named = message_id === null ? [message_content, user_message] : [message_id];
  return hash('sha256', JSON.stringify([session_id, ...named]), 'base64url');
}

async function put(item: object): Promise<void> {
  await putItem({ TableName: setting('FEEDBACK_TABLE'), Item: item });
}

async function putRating(
  key: Pick<Feedback, 'key_id' | 'entry'>,
  { session_id, message_id, rating, model, comment, correction }: FeedbackRequest,
  now: number,
  expires_at: number,
): Promise<Feedback> {
  const at = new Date(now).toISOString();
  const given = { session_id, message_id, rating, model, comment, correction };
  const replaced = Object.entries({ ...given, updated_at: at, expires_at });
  const first = { id: `feedback_${uuidv7()}`, created_at: at, day: at.slice(0, 10) };
  const update = expressUpdate(setting('FEEDBACK_TABLE'), key, (value, name) => ({
    set: [
      ...replaced.map(([field, to]) => `${name(field)} = ${value(to)}`),
      ...Object.entries(first).map(
        ([field, to]) => `${name(field)} = if_not_exists(${name(field)}, ${value(to)})`,
      ),
    ],
  }));
  const updated = await updateItem({ ...update, ReturnValues: 'ALL_NEW' });
  return updated?.Attributes as Feedback;
}
