import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { Model } from '../models/catalogue.ts';
import { isAllowedBy } from './special-parameters.ts';

/** What OpenAI takes beside the parameters that are read here. The compiler finds the ones that are missing. */
export const openAiParameters = {
  audio: true,
  frequency_penalty: true,
  function_call: true,
  functions: true,
  logit_bias: true,
  logprobs: true,
  metadata: true,
  modalities: true,
  moderation: true,
  parallel_tool_calls: true,
  prediction: true,
  presence_penalty: true,
  prompt_cache_key: true,
  prompt_cache_options: true,
  prompt_cache_retention: true,
  reasoning_effort: true,
  response_format: true,
  safety_identifier: true,
  seed: true,
  service_tier: true,
  stop: true,
  store: true,
  tool_choice: true,
  tools: true,
  top_logprobs: true,
  top_p: true,
  user: true,
  verbosity: true,
  web_search_options: true,
} satisfies Record<OtherParameter, true>;

type OtherParameter = Exclude<
  keyof ChatCompletionCreateParams,
  | 'model'
  | 'messages'
  | 'stream'
  | 'stream_options'
  | 'temperature'
  | 'max_tokens'
  | 'max_completion_tokens'
  | 'n'
>;

/**
 * Parameters of other providers and servers. They choose among tokens, say how an answer is written or how long it is
 * thought about: what that takes is within the limits that a call is held by.
 */
const otherParameters = [
  ...['top_k', 'top_a', 'top_n', 'top_h', 'top_nsigma', 'min_p', 'min_keep', 'typical_p', 'tfs_z'],
  ...['mirostat', 'mirostat_tau', 'mirostat_eta', 'smoothing_factor', 'samplers', 'length_penalty'],
  ...['repetition_penalty', 'repeat_penalty', 'repeat_last_n', 'xtc_probability', 'xtc_threshold'],
  ...['dry_multiplier', 'dry_base', 'random_seed', 'min_tokens', 'ignore_eos', 'stop_sequences'],
  ...['stop_token_ids', 'include_stop_str_in_output', 'bad_words', 'allowed_token_ids', 'n_probs'],
  ...['skip_special_tokens', 'spaces_between_special_tokens', 'prompt_logprobs', 'format'],
  ...['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'structured_outputs'],
  ...['grammar', 'json_schema', 'output_config', 'incremental_output', 'timings_per_token'],
  ...['reasoning', 'reasoning_format', 'include_reasoning', 'thinking', 'think', 'enable_thinking'],
  ...['thinking_budget', 'prompt_mode', 'chat_template_kwargs', 'add_generation_prompt'],
  ...['continue_final_message', 'truncate_prompt_tokens', 'transforms', 'safe_prompt', 'usage'],
  ...['context_length_exceeded_behavior', 'disable_tool_validation', 'cache_prompt'],
];

const known = new Set([
  ...['model', 'messages', 'temperature', 'n'],
  ...Object.keys(openAiParameters),
  ...otherParameters,
]);

/**
 * Leaves out the parameters that nobody here has looked at: one may make a call dearer than was held for it, or send it
 * elsewhere. The catalogue may allow an upstream more.
 */
export const withoutUnknown = <Parameters extends Record<string, unknown>>(
  model: Model,
  parameters: Parameters,
): Parameters =>
  Object.fromEntries(
    Object.entries(parameters).filter(([name]) => known.has(name) || isAllowedBy(model, name)),
  ) as Parameters;
