import { valueError } from '../http/errors.ts';
import { refuseOtherCase } from './other-case.ts';

/**
 * Servers' parameters that limit the output by another name, lift the limit, or ask for more outputs: no hold would
 * be a bound.
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 * @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
 */
export const outputParameters = [
  // Other names of the limit: llama.cpp, Ollama, Hugging Face, Google, Anthropic and Llama.
  ...['n_predict', 'num_predict', 'max_new_tokens', 'max_output_tokens', 'maxOutputTokens'],
  ...['max_length', 'max_tokens_to_sample', 'max_gen_len', 'auto_max_new_tokens'],
  // Other numbers of outputs.
  ...['n_cmpl', 'num_generations', 'num_return_sequences', 'candidate_count', 'candidateCount'],
  ...['best_of', 'use_beam_search', 'num_beams', 'num_retries'],
  // These write on after the end, drop the limit, or contain such a parameter.
  ...['ignore_eos', 'ban_eos_token', 'additional_drop_params', 'num_ctx', 'options', 'nvext'],
  ...['generation_config', 'generationConfig', 'thinking_config', 'thinkingConfig'],
  // These add text beside the output, or make the prompt longer than was sent.
  ...['echo', 'prompt_logprobs', 'n_probs', 'chat_template'],
];

/** Numbers of tokens that are part of an output, so none may be more than its limit. Some servers count thoughts beside it. */
const partsOfOutput = [
  ['min_tokens'],
  ['thinking_budget'],
  ['thinking_token_budget'],
  ['max_think_tokens'],
  ['thinking', 'budget_tokens'],
  ['reasoning', 'max_tokens'],
];

/** Throws `UnprocessableEntityError` for a part of the output that is longer than the output may be. */
export function refuseBeyondLimit(parameters: Record<string, unknown>, limit: number): void {
  for (const path of partsOfOutput) {
    refuseOtherCaseOf(parameters, path);
    if (!(tokensAt(parameters, path) > limit)) continue;
    const reason = `the output may have ${limit} tokens, and ${path.join('.')} asks for more`;
    throw valueError(['body', ...path], reason);
  }
}

/** The longest part of its output that a request names, in tokens; 0 for none. */
export const longestPart = (parameters: Record<string, unknown>): number =>
  Math.max(0, ...partsOfOutput.map((path) => tokensAt(parameters, path) || 0));

/** The number that a parameter has, also in quotes, as servers read that too; `NaN` if it has none. */
function tokensAt(parameters: Record<string, unknown>, path: string[]): number {
  const value = path.reduce<unknown>((within, name) => fieldOf(within, name), parameters);
  return typeof value === 'object' ? Number.NaN : Number(value);
}

function refuseOtherCaseOf(parameters: Record<string, unknown>, [name, field]: string[]): void {
  if (name === undefined || field === undefined) return;
  const within = parameters[name];
  if (typeof within !== 'object' || within === null) return;
  refuseOtherCase(within as Record<string, unknown>, [field], ['body', name]);
}

const fieldOf = (value: unknown, name: string) =>
  (value as Record<string, unknown> | null | undefined)?.[name];
