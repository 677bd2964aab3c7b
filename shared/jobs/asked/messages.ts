import type { Message } from '../../chat/completion-message.ts';
import type { Room } from '../../http/byte-budget.ts';
import type { JobKey } from '../engine/item/job.ts';
import { getText, isShort, putObject } from '../engine/item/objects.ts';

/** The attributes that hold a job's own messages. */
export interface WithMessages {
  /** JSON of the messages; or the object that holds it. */
  messages_json?: string;
  messages_object?: string;
}

/** Returns the attributes that hold a job's messages; large ones are put into object storage first. */
export async function keepMessages(key: JobKey, messages: unknown[]): Promise<WithMessages> {
  const json = JSON.stringify(messages);
  if (isShort(json)) return { messages_json: json };
  return { messages_object: await putObject(key, 'messages.json', json) };
}

/** Reads a job's messages from wherever they are. Throws `NoRoomError`. */
export async function messagesOf(job: WithMessages, room?: Room): Promise<Message[]> {
  return JSON.parse(job.messages_json ?? (await getText(job.messages_object, room)));
}
