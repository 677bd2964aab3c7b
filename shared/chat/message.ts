import * as v from 'valibot';
import { Count } from '../http/schema.ts';

export const MessageUsage = v.looseObject({ input_tokens: Count, output_tokens: Count });

export const AnswerBlock = v.looseObject({ type: v.string() });

/** A message that isn't streamed: the fields that callers rely on. */
export const AnsweredMessage = v.looseObject({
  id: v.string(),
  type: v.literal('message'),
  role: v.literal('assistant'),
  model: v.string(),
  content: v.array(AnswerBlock),
  stop_reason: v.nullable(v.string()),
  usage: MessageUsage,
});

/** An event of a streamed message. */
export const MessageEvent = v.looseObject({ type: v.string() });
