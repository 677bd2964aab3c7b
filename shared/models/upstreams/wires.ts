import type { DialectName } from '../dialect-names.ts';
import { chat } from '../dialects/chat/chat.ts';
import type { Wire } from '../dialects/dialect.ts';
import { embeddings } from '../dialects/embeddings.ts';
import { messages } from '../dialects/messages/messages.ts';
import { responses } from '../dialects/responses/responses.ts';

/** The dialects by their names. */
export const dialects = { chat, responses, messages };

/** Returns a reader of a streamed answer that is no chat completion; those are passed on and metered as they come. */
export const readerOf = (dialect: DialectName) =>
  dialect === 'chat' || dialect === 'embeddings' ? undefined : dialects[dialect].reader();

/** All protocols in which providers are asked. */
export const wires = { ...dialects, embeddings } satisfies Record<DialectName, Wire>;
