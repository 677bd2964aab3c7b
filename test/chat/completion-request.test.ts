import { expect, it } from 'vitest';
import { CompletionRequest } from '../../shared/chat/completion-request.ts';
import { misspellingsIn } from '../../shared/http/misspellings.ts';

/** Parameters of providers that speak OpenAI's protocol, which their clients send. */
const others = {
  Anthropic: 'thinking speed betas stop_sequences anthropic_version output_config',
  'DeepSeek, Qwen':
    'enable_thinking thinking_budget enable_search search_options incremental_output',
  Groq: 'reasoning_format include_reasoning citation_options disable_tool_validation',
  'llama.cpp':
    'top_k min_p typical_p tfs_z repeat_penalty repeat_last_n mirostat mirostat_tau mirostat_eta n_predict n_keep n_probs cache_prompt grammar json_schema samplers id_slot min_keep xtc_probability xtc_threshold dry_multiplier dry_base timings_per_token t_max_predict_ms',
  LiteLLM: 'fallbacks num_retries timeout tags cache mock_response guardrails',
  Mistral: 'safe_prompt random_seed prompt_mode',
  Ollama: 'options format keep_alive think images raw suffix template num_ctx',
  OpenRouter: 'models route transforms provider plugins preset usage reasoning top_a session_id',
  Perplexity:
    'search_mode search_domain_filter search_recency_filter return_images return_related_questions',
  Together: 'repetition_penalty safety_model echo context_length_exceeded_behavior',
  vLLM: 'best_of use_beam_search length_penalty stop_token_ids min_tokens ignore_eos include_stop_str_in_output skip_special_tokens spaces_between_special_tokens truncate_prompt_tokens prompt_logprobs add_generation_prompt continue_final_message documents chat_template chat_template_kwargs mm_processor_kwargs guided_json guided_regex guided_choice guided_grammar structured_outputs allowed_token_ids bad_words priority request_id cache_salt',
  xAI: 'search_parameters deferred',
  'text generation UIs': 'mode top_n top_h top_nsigma smoothing_factor negative_prompt extra_body',
};

it.each(Object.entries(others))('takes the parameters of %s', (_, names) => {
  const request = Object.fromEntries(names.split(' ').map((name) => [name, 1]));

  expect(misspellingsIn(CompletionRequest, request)).toEqual([]);
});

it.each([
  ['max_token', 'max_tokens'],
  ['maxTokens', 'max_tokens'],
  ['temprature', 'temperature'],
  ['message', 'messages'],
  ['tool', 'tools'],
  ['responce_format', 'response_format'],
  ['topP', 'top_p'],
])('takes %s for a misspelled %s', (name, meant) => {
  expect(misspellingsIn(CompletionRequest, { [name]: 1 })).toMatchObject([
    { loc: [name], msg: `Unknown name; did you mean ${meant}?`, type: 'extra_forbidden' },
  ]);
});
