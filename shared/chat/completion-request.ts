import * as v from 'valibot';
import { valueError } from '../http/errors.ts';
import { knowing } from '../http/misspellings.ts';
import { dictionary, integerBetween, numberBetween } from '../http/schema.ts';
import type { Model } from '../models/catalogue.ts';
import type { SizedRequest } from '../models/token-bounds.ts';
import type { CompletionBody } from '../models/upstream.ts';
import { findFileId, Message, noFileIds } from './message.ts';
import { openAiParameters, withoutUnknown } from './parameters.ts';
import { refuseSpecial } from './special-parameters.ts';

/** A parameter that may be left out or null; both stand for the provider's default. */
const orDefault = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.nullable(schema));

/** Parameters of other providers that would be taken for misspelled ones of OpenAI. */
const likeOpenAiParameters = [
  'min_tokens',
  'mode',
  'models',
  'speed',
  'top_a',
  'top_h',
  'top_k',
  'top_n',
];

/**
 * The body of `POST /v1/chat/completions`. Of the parameters that it doesn't name those pass through that are known to be
 * harmless (`parameters.ts`); the others are ignored.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export const CompletionRequest = knowing(
  v.looseObject({
    model: v.pipe(v.string(), v.minLength(1)),
    messages: v.pipe(v.array(Message), v.minLength(1)),
    stream: orDefault(v.boolean()),
    stream_options: orDefault(dictionary(v.looseObject({ include_usage: orDefault(v.boolean()) }))),
    temperature: orDefault(numberBetween(0, 2)),
    max_tokens: orDefault(integerBetween(1, Number.MAX_SAFE_INTEGER)),
    max_completion_tokens: orDefault(integerBetween(1, Number.MAX_SAFE_INTEGER)),
    n: orDefault(integerBetween(1, 128)),
  }),
  [...Object.keys(openAiParameters), ...likeOpenAiParameters],
);

export type CompletionRequest = v.InferOutput<typeof CompletionRequest>;

const defaultTemperature = 0.15;

/**
 * Makes the request to an upstream: the caller's known parameters, our default temperature, and always the usage in a
 * stream. Throws `UnprocessableEntityError` for a parameter that could change what the call costs or who sees it, and
 * for a file of the operator's. A reasoning model gets no default temperature, and `max_tokens` under its other name.
 */
export function upstreamBody(
  model: Model,
  { stream, stream_options, max_tokens, max_completion_tokens, ...rest }: CompletionRequest,
): CompletionBody & SizedRequest {
  refuseSpecial(model, rest);
  const known = withoutUnknown(model, rest);
  const fileId = findFileId(rest.messages);
  if (fileId) throw valueError(['body', 'messages', ...fileId], noFileIds);
  const sampling = model.reasoning ? {} : { temperature: defaultTemperature };
  const limit = model.reasoning ? 'max_completion_tokens' : 'max_tokens';
  return {
    ...sampling,
    ...(max_tokens && { [limit]: max_tokens }),
    ...(max_completion_tokens && { max_completion_tokens }),
    ...withoutNull(known, 'temperature'),
    ...(known['service_tier'] === 'auto' && { service_tier: 'default' }),
    ...(stream && { stream: true, stream_options: { ...stream_options, include_usage: true } }),
  } as CompletionBody & SizedRequest;
}

/** Leaves out a parameter that is null, so that our default applies. */
function withoutNull<Values extends Record<string, unknown>>(values: Values, name: string): Values {
  if (values[name] !== null) return values;
  const { [name]: _, ...others } = values;
  return others as Values;
}
