import { chat } from './chat/chat.ts';
import { messages } from './messages/messages.ts';
import { responses } from './responses/responses.ts';

/** The dialects by their names. */
export const dialects = { chat, responses, messages };
