import { type Metadata, metadataOf } from '../ledger/terms/metadata.ts';
import type { DialectName } from '../models/dialects/names.ts';

/** What the charge says of a call that belongs to no job: its use is counted as that of chats, and by its dialect. */
export const chatSubject = (
  { metadata }: { metadata?: Metadata | null | undefined },
  dialect: DialectName = 'chat',
) => ({ tags: tagsOf(dialect), ...metadataOf(metadata) });

function tagsOf(dialect: DialectName): string[] {
  if (dialect === 'embeddings') return [dialect];
  return dialect === 'chat' ? ['chat'] : ['chat', `chat:${dialect}`];
}
