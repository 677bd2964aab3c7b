import type { Source, UsageEvent } from '../../../shared/chat/chat-event.ts';
import type { Attachment } from './attachments.ts';

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
