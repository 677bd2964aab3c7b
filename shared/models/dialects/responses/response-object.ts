import { blamesRequest } from '../../errors.ts';
import { newId } from '../../field.ts';
import type { Body } from '../dialect.ts';

/** Writes events of a response one after the other, each with its number. */
export class NumberedEvents {
  /** The number of the last event. */
  last = -1;

  write(events: Iterable<Body>): string {
    let text = '';
    for (const { type, ...fields } of events) {
      this.last += 1;
      const event = { type, sequence_number: this.last, ...fields };
      text += `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
    }
    return text;
  }
}

/** A response that has nothing yet, as its first events have it. Every field is there that clients read without asking. */
export const emptyResponse = (fields: Body): Body => ({
  id: newId('resp_'),
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  status: 'in_progress',
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  output: [],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  truncation: 'disabled',
  usage: null,
  ...fields,
});

/** The codes of errors in a stream that clients act on. @see https://github.com/openai/codex/tree/main/codex-rs/codex-api */
const failureCodes = [
  ...['context_length_exceeded', 'rate_limit_exceeded', 'insufficient_quota', 'invalid_prompt'],
  ...['cyber_policy', 'server_is_overloaded', 'slow_down'],
];

/** For clients any other error is a fault of their request, or of the server. */
export function failureCode(code = ''): string {
  if (code === 'budget_exceeded') return 'insufficient_quota';
  if (failureCodes.includes(code)) return code;
  return blamesRequest(code) ? 'invalid_prompt' : 'server_error';
}
