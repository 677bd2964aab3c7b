/** Tokens that are counted among others. */
export interface TokenDetails {
  /** Of the prompts: those that their provider had in its cache. */
  cached_tokens: number;
  /** Of the answers: those that were thought and not written. */
  reasoning_tokens: number;
}

type Details = Record<string, unknown> | null | undefined;

/** A provider's answer, in any dialect, as a line's result has it. */
interface Answered {
  response?: { body?: { usage?: Record<string, Details> | null } | null } | null;
}

/** Adds what an answer says of its tokens. */
export function addDetails(details: TokenDetails, output: Answered): void {
  const usage = output.response?.body?.usage ?? {};
  const prompt = usage['prompt_tokens_details'] ?? usage['input_tokens_details'];
  const answer = usage['completion_tokens_details'] ?? usage['output_tokens_details'];
  details.cached_tokens += countOf(prompt?.['cached_tokens']);
  details.reasoning_tokens += countOf(answer?.['reasoning_tokens']);
}

const countOf = (value: unknown) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
