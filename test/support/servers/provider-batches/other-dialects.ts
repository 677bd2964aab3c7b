import { randomUUID } from 'node:crypto';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { AnswerChat, Answered } from './batch-store.ts';

type Body = Record<string, unknown>;

/** Answers a request of Anthropic's Messages as one of chat completions, of which it has the texts. */
export function answerMessage(body: Body, chat: AnswerChat): Answered {
  const { model, system, messages, max_tokens } = body;
  const answer = chat({ model, max_tokens, messages: turnsOf(system, messages) });
  if (answer.status !== 200) return answer;
  const { text, isCut, usage } = readAnswer(answer.body as ChatCompletion);
  return {
    status: 200,
    body: {
      ...{ id: newId('msg'), type: 'message', role: 'assistant', model },
      ...{ content: [{ type: 'text', text }], stop_reason: isCut ? 'max_tokens' : 'end_turn' },
      ...{ stop_sequence: null, usage },
    },
  };
}

/** Answers a request of OpenAI's Responses in the same way. */
export function answerResponse(body: Body, chat: AnswerChat): Answered {
  const { model, instructions, input, max_output_tokens: max_tokens } = body;
  const answer = chat({ model, max_tokens, messages: turnsOf(instructions, input) });
  if (answer.status !== 200) return answer;
  const { text, isCut, usage } = readAnswer(answer.body as ChatCompletion);
  const content = [{ type: 'output_text', text, annotations: [] }];
  const message = { type: 'message', id: newId('msg'), role: 'assistant', content };
  return {
    status: 200,
    body: {
      ...{ id: newId('resp'), object: 'response', model, error: null, tools: [] },
      ...{ status: isCut ? 'incomplete' : 'completed', created_at: Math.floor(Date.now() / 1000) },
      incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
      output: [{ ...message, status: 'completed' }],
      usage: { ...usage, total_tokens: usage.input_tokens + usage.output_tokens },
    },
  };
}

const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}`;

/** What was said, as messages of a chat. */
function turnsOf(instructions: unknown, said: unknown): Body[] {
  const turns = Array.isArray(said) ? (said as Body[]) : [{ role: 'user', content: said }];
  const system = textOf(instructions);
  return [
    ...(system ? [{ role: 'system', content: system }] : []),
    ...turns.map(({ role = 'user', content }) => ({ role, content: textOf(content) })),
  ];
}

const textOf = (content: unknown): string =>
  Array.isArray(content)
    ? (content as { text?: string }[]).map(({ text = '' }) => text).join('')
    : String(content ?? '');

function readAnswer({ choices, usage }: ChatCompletion) {
  const [choice] = choices;
  return {
    text: choice?.message.content ?? '',
    isCut: choice?.finish_reason === 'length',
    usage: {
      input_tokens: usage?.prompt_tokens ?? 0,
      output_tokens: usage?.completion_tokens ?? 0,
    },
  };
}
