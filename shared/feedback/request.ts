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
    /** The right answer, such as the value of an extracted field. */
    correction: v.optional(stringUpTo(10_000), ''),
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

/** The query of `GET /feedback`. */
export const FeedbackQuery = v.object({
  session_id: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
});

/** A rating as its key reads it again. */
export const GivenFeedback = v.object({
  ...FeedbackReceipt.entries,
  model: v.string(),
  comment: v.string(),
  correction: v.string(),
  updated_at: Instant,
});

/** The response of `GET /feedback`. */
export const FeedbackList = v.object({ feedback: v.array(GivenFeedback) });

export type FeedbackList = v.InferOutput<typeof FeedbackList>;
export type FeedbackReceipt = v.InferOutput<typeof FeedbackReceipt>;
