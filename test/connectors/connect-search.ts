import { connect } from '../drive/connect.ts';

/** Points the search at a Drive, as `connect` does Quire's Drive client. */
export async function connectSearch(drive: Parameters<typeof connect>[0]) {
  const { disconnect } = await connect(drive);
  return {
    ...(await import('../../shared/connectors/search-documents.ts')),
    ...(await import('../../shared/connectors/fetch-documents.ts')),
    ...(await import('../../shared/connectors/folder-tree.ts')),
    ...(await import('../../shared/connectors/answer-question.ts')),
    disconnect,
  };
}

export type ConnectedSearch = Awaited<ReturnType<typeof connectSearch>>;
