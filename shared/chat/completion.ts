import * as v from 'valibot';
import { Count } from '../http/schema.ts';

const Text = v.exactOptional(v.nullable(v.string()));

export const CompletionUsage = v.looseObject({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
});
export const CompletionMessage = v.looseObject({ role: v.string(), content: Text });
export const CompletionChoice = v.looseObject({
  index: Count,
  message: CompletionMessage,
  finish_reason: v.nullable(v.string()),
});

/** A chat completion that isn't streamed: the fields that callers rely on. It is forwarded as the upstream sent it. */
export const Completion = v.looseObject({
  id: v.string(),
  object: v.literal('chat.completion'),
  model: v.string(),
  choices: v.array(CompletionChoice),
  usage: CompletionUsage,
});

export const ChunkDelta = v.looseObject({ role: v.exactOptional(v.string()), content: Text });
export const ChunkChoice = v.looseObject({
  index: Count,
  delta: ChunkDelta,
  finish_reason: v.exactOptional(v.nullable(v.string())),
});

/** A chunk of a streamed completion. */
export const CompletionChunk = v.looseObject({
  id: v.string(),
  object: v.literal('chat.completion.chunk'),
  model: v.string(),
  choices: v.array(ChunkChoice),
  usage: v.exactOptional(v.nullable(CompletionUsage)),
});
