import * as v from 'valibot';
import { dictionary, Instant, ModelName, orNull, stringUpTo } from '../http/schema.ts';

const upWords = ['up', 'thumbs_up', 'like', '1', 1] as const;
const downWords = ['down', 'thumbs_down', 'dislike', '-1', -1] as const;

const Rating = v.pipe(
  v.picklist([...upWords, ...downWords]),
  v.transform((word): 'up' | 'down' =>
    (upWords as readonly unknown[]).includes(word) ? 'up' : 'down',
  ),
);

/** The body of `POST /feedback`. */
export const FeedbackRequest = dictionary(
  v.object({
    session_id: v.pipe(stringUpTo(200), v.minLength(1)),
    rating: Rating,
    /** Names the rated message, in place of its content. */
    message_id: orNull(v.pipe(stringUpTo(200), v.minLength(1))),
    model: v.optional(ModelName, ''),
    comment: v.optional(stringUpTo(4_000), ''),
    message_content: v.optional(stringUpTo(100_000), ''),
    user_message: v.optional(stringUpTo(100_000), ''),
  }),
);

export type FeedbackRequest = v.InferOutput<typeof FeedbackRequest>;

/** The response of `POST /feedback`. */
export const FeedbackReceipt = v.object({
  id: v.string(),
  session_id: v.string(),
  message_id: v.nullable(v.string()),
  rating: v.picklist(['up', 'down']),
  created_at: Instant,
});

export type FeedbackReceipt = v.InferOutput<typeof FeedbackReceipt>;
