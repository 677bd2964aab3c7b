import * as v from 'valibot';
import { Count } from '../http/schema.ts';

export const ResponseUsage = v.looseObject({
  input_tokens: Count,
  output_tokens: Count,
  total_tokens: Count,
});

const OutputItem = v.looseObject({ type: v.string() });

/** A response that isn't streamed: the fields that callers rely on. It is forwarded as the upstream sent it. */
export const ModelResponse = v.looseObject({
  id: v.string(),
  object: v.literal('response'),
  status: v.string(),
  model: v.string(),
  output: v.array(OutputItem),
  usage: v.exactOptional(v.nullable(ResponseUsage)),
});

/** An event of a streamed response. */
export const ResponseEvent = v.looseObject({ type: v.string(), sequence_number: Count });
