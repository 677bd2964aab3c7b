import type { WithMessages } from '../../asked/messages.ts';
import { chatModelOf } from '../../asked/task.ts';
import type { Kind } from '../../engine/item/kind.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { sourceLinksOf } from '../../sources/source-links.ts';

/** A job that asks a model about its own messages, or about a file: a text, a conversation, a file of requests. */
export interface ChatJob extends SourceJob, WithMessages {
  kind: 'chat';
}

export const chatKind = {
  name: 'chat',
  job: undefined as ChatJob | undefined,
  queue: 'chat',
  modelsOf: ({ model }) => [chatModelOf({ job_type: 'chat', model })],
  linksOf: sourceLinksOf,
} as const satisfies Kind<ChatJob>;
