import { chat } from './chat/chat.ts';
import type { Wire } from './dialect.ts';
import { embeddings } from './embeddings.ts';
import { messages } from './messages/messages.ts';
import type { DialectName } from './names.ts';
import { responses } from './responses/responses.ts';

/** The dialects by their names. */
export const dialects = { chat, responses, messages };

/** All protocols in which providers are asked. */
export const wires = { ...dialects, embeddings } satisfies Record<DialectName, Wire>;
