import * as v from 'valibot';
import { dictionary, integerBetween } from '../http/schema.ts';
import type { Model } from '../models/catalogue.ts';
import type { SizedRequest } from '../models/token-bounds.ts';
import type { CompletionBody } from '../models/upstream.ts';
import { Message } from './message.ts';

const numberBetween = (least: number, most: number) =>
  v.pipe(v.number(), v.minValue(least), v.maxValue(most));
const orNull = <Schema extends v.GenericSchema>(schema: Schema) => v.optional(v.nullable(schema));

/** The body of `POST /v1/chat/completions`; parameters that it doesn't name pass through untouched. */
export const CompletionRequest = v.looseObject({
  model: v.pipe(v.string(), v.minLength(1)),
  messages: v.pipe(v.array(Message), v.minLength(1)),
  stream: orNull(v.boolean()),
  stream_options: orNull(dictionary(v.looseObject({ include_usage: orNull(v.boolean()) }))),
  temperature: orNull(numberBetween(0, 2)),
  max_tokens: orNull(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  max_completion_tokens: orNull(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  n: orNull(integerBetween(1, 128)),
});

export type CompletionRequest = v.InferOutput<typeof CompletionRequest>;

const defaultTemperature = 0.15;

/** What an upstream is asked: the caller's own parameters, our default, and always the usage. */
export function upstreamBody(
  model: Model,
  { stream, stream_options, max_tokens, ...rest }: CompletionRequest,
): CompletionBody & SizedRequest {
  const sampling = model.reasoning ? {} : { temperature: defaultTemperature };
  const limit = model.reasoning ? 'max_completion_tokens' : 'max_tokens';
  return {
    ...sampling,
    ...(max_tokens && { [limit]: max_tokens }),
    ...withoutNull(rest, 'temperature'),
    ...(stream && { stream: true, stream_options: { ...stream_options, include_usage: true } }),
  } as CompletionBody & SizedRequest;
}

/** A null that stands for the default, left out so that ours applies. */
function withoutNull<Values extends Record<string, unknown>>(values: Values, name: string): Values {
  if (values[name] !== null) return values;
  const { [name]: _, ...others } = values;
  return others as Values;
}
