import { signal } from '@preact/signals';
import { request } from '../api/call.ts';
import { readEvents } from '../api/events.ts';
import { attachments } from './attachments.ts';
import { chatRequest, type Turn } from './chat-request.ts';

export const turns = signal<Turn[]>([]);

/** The session that the service keeps of this conversation. */
export const sessionId = signal<string | undefined>(undefined);

/** The message that is being written. */
export const draft = signal('');

let running: AbortController | undefined;

/** Sends a message with the settings and attachments of now, and takes its answer as it comes. */
export async function send(question: string): Promise<void> {
  const body = chatRequest(question, turns.value, sessionId.value);
  const index = turns.value.length;
  turns.value = [
    ...turns.value,
    {
      question,
      attachments: attachments.value,
      state: 'running',
      text: '',
      steps: [],
      sources: [],
    },
  ];
  attachments.value = [];
  running = new AbortController();
  const { signal: stopping } = running;
  try {
    for await (const event of readEvents(await request('POST', '/chat/stream', body, stopping))) {
      const turn = turns.value[index];
      if (!turn) return;
      if (event.type === 'error') throw new Error(event.message);
      if (event.type === 'start') sessionId.value = event.session_id;
      update(index, changeBy(turn, event));
    }
    update(index, { state: 'whole' });
  } catch (error) {
    const failed: Partial<Turn> = { state: 'failed', failure: error as Error };
    update(index, stopping.aborted ? { state: 'stopped' } : failed);
  }
}

/** Breaks off the answer that is being written. What the model has written by then is billed. */
export const stop = () => running?.abort();

/** Begins a new conversation. */
export function clear(): void {
  stop();
  turns.value = [];
  sessionId.value = undefined;
}

/** Goes on with a conversation that the service remembers. */
export function resume(id: string, messages: { role: string; content: string }[]): void {
  stop();
  sessionId.value = id;
  turns.value = messages.flatMap(({ role, content }, at) =>
    role === 'user'
      ? {
          question: content,
          attachments: [],
          state: 'whole' as const,
          text: messages[at + 1]?.role === 'assistant' ? (messages[at + 1]?.content ?? '') : '',
          steps: [],
          sources: [],
        }
      : [],
  );
}

/** Changes a turn. */
export function update(index: number, some: Partial<Turn>): void {
  turns.value = turns.value.map((turn, at) => (at === index ? { ...turn, ...some } : turn));
}

type StreamedEvent =
  ReturnType<typeof readEvents> extends AsyncGenerator<infer Event>
    ? Exclude<Event, { type: 'error' }>
    : never;

function changeBy(turn: Turn, event: StreamedEvent): Partial<Turn> {
  switch (event.type) {
    case 'start':
      return { model: event.model, messageId: event.message_id };
    case 'status':
      return turn.steps.at(-1) === event.detail ? {} : { steps: [...turn.steps, event.detail] };
    case 'delta':
      return { text: turn.text + event.content };
    case 'sources':
      return { sources: event.sources };
    case 'usage':
      return { usage: event };
    case 'done':
      return { finishReason: event.finish_reason };
  }
}
