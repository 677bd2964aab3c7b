import type { Source, UsageEvent } from '../../../shared/chat/chat-event.ts';
import { type Attachment, attachments } from './attachments.ts';
import { settings } from './settings.ts';

/** A message and its answer, as far as that has come. */
export interface Turn {
  question: string;
  attachments: Attachment[];
  state: 'running' | 'whole' | 'stopped' | 'failed';
  text: string;
  steps: string[];
  sources: Source[];
  model?: string;
  messageId?: string;
  usage?: UsageEvent;
  finishReason?: string;
  failure?: Error;
  rating?: 'up' | 'down';
}

/** The body of `POST /chat/stream`, as far as the playground uses it. */
export interface ChatRequest {
  message: string;
  model?: string;
  session_id?: string;
  chat_history: { role: 'system' | 'user' | 'assistant'; content: string }[];
  temperature?: number;
  web_search?: boolean;
  deep_research?: boolean;
  connectors?: boolean;
  images?: { base64: string; mime_type: string }[];
  files?: { name: string; content: string }[];
}

/** Makes the request for a message with the settings and attachments of now. It carries the whole conversation. */
export function chatRequest(
  message: string,
  turns: readonly Turn[],
  sessionId: string | undefined,
): ChatRequest {
  const { model, system, temperature, web_search, deep_research, connectors } = settings.value;
  const images = attachments.value.flatMap(({ image }) => image ?? []);
  const files = attachments.value.flatMap(({ file }) => file ?? []);
  return {
    message,
    ...(model && { model }),
    ...(sessionId && { session_id: sessionId }),
    chat_history: [
      ...(system ? [{ role: 'system' as const, content: system }] : []),
      ...turns.flatMap(historyOf),
    ],
    ...(temperature !== undefined && { temperature }),
    ...(web_search && { web_search }),
    ...(deep_research && { deep_research }),
    ...(connectors && { connectors }),
    ...(images.length > 0 && { images }),
    ...(files.length > 0 && { files }),
  };
}

/** A turn that has no answer is left out: two messages of a user in a row confuse models. */
const historyOf = ({ question, text }: Turn) =>
  text === ''
    ? []
    : [
        { role: 'user' as const, content: question },
        { role: 'assistant' as const, content: text },
      ];
