import { type Metadata, metadataOf } from '../ledger/metadata.ts';

/** What the charge of a call says of it that is no job's. */
export const chatSubject = ({ metadata }: { metadata?: Metadata | null | undefined }) => ({
  tags: ['chat'],
  ...metadataOf(metadata),
});
