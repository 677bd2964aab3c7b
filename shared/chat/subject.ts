import { type Metadata, metadataOf } from '../ledger/metadata.ts';

/** What the charge says of a call that belongs to no job. */
export const chatSubject = ({ metadata }: { metadata?: Metadata | null | undefined }) => ({
  tags: ['chat'],
  ...metadataOf(metadata),
});
