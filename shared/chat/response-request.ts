import type { ResponseCreateParams } from 'openai/resources/responses/responses';
import * as v from 'valibot';
import { typedMessage } from '../http/field-errors.ts';
import { knowing } from '../http/misspellings.ts';
import {
  dictionary,
  integerBetween,
  listOf,
  ModelName,
  numberBetween,
  OtherModels,
  oneOf,
  orDefault,
} from '../http/schema.ts';
import { Metadata } from '../ledger/terms/metadata.ts';
import { ResponseInput } from './response-input.ts';

/** As many as any client sends, with the tools of its own servers. */
const maxTools = 10_000;

/** A tool's type is told in a header where the tool is left out. */
const ToolType = v.pipe(
  v.string(),
  v.regex(
    /^[\w.:-]{1,64}$/,
    typedMessage('string_pattern_mismatch', 'Input should be a word that names a type of tools'),
  ),
);

export const ResponseTool = dictionary(v.looseObject({ type: ToolType }));

export const Tools = listOf(ResponseTool, maxTools);

const ChoiceByWord = v.picklist(['none', 'auto', 'required']);
const ChoiceByType = dictionary(v.looseObject({ type: v.string() }));
const ToolChoice = oneOf([ChoiceByWord, ChoiceByType], (choice) =>
  typeof choice === 'object' && choice !== null ? ChoiceByType : ChoiceByWord,
);

export const ResponseText = dictionary(
  v.looseObject({
    format: orDefault(dictionary(v.looseObject({ type: v.string() }))),
    verbosity: orDefault(v.string()),
  }),
);

/** What OpenAI takes beside the parameters that are read here. The compiler finds the ones that are missing. */
const openAiParameters = {
  access_programs: true,
  background: true,
  context_management: true,
  conversation: true,
  image: true,
  max_tool_calls: true,
  moderation: true,
  previous_response_id: true,
  prompt: true,
  prompt_cache_key: true,
  prompt_cache_options: true,
  prompt_cache_retention: true,
  safety_identifier: true,
  service_tier: true,
  stream_options: true,
  top_logprobs: true,
  truncation: true,
  user: true,
} satisfies Record<Exclude<keyof ResponseCreateParams, keyof typeof read>, true>;

const read = {
  model: v.pipe(ModelName, v.minLength(1)),
  models: orDefault(OtherModels),
  input: ResponseInput,
  instructions: orDefault(v.string()),
  stream: orDefault(v.boolean()),
  store: orDefault(v.boolean()),
  max_output_tokens: orDefault(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  temperature: orDefault(numberBetween(0, 2)),
  top_p: orDefault(numberBetween(0, 1)),
  tools: orDefault(Tools),
  tool_choice: orDefault(ToolChoice),
  parallel_tool_calls: orDefault(v.boolean()),
  text: orDefault(ResponseText),
  reasoning: orDefault(dictionary(v.looseObject({}))),
  include: orDefault(listOf(v.string(), 100)),
  metadata: orDefault(Metadata),
};

/** The names of what is read of a request, or is OpenAI's. */
export const responseParameters = [...Object.keys(read), ...Object.keys(openAiParameters)];

/** Parameters of other providers that would pass for misspelled ones of OpenAI. */
const likeOpenAiParameters = ['mode', 'speed', 'top_a', 'top_h', 'top_k', 'top_n'];

/** The body of `POST /v1/responses`. Other parameters pass through untouched. @see https://platform.openai.com/docs/api-reference/responses/create */
export const ResponseRequest = knowing(v.looseObject(read), [
  ...Object.keys(openAiParameters),
  ...likeOpenAiParameters,
]);

export type ResponseRequest = v.InferOutput<typeof ResponseRequest>;
