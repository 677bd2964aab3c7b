import { useQuire } from '../drive/use-quire.ts';

/** Gives a test file Quire's search of a Drive, led to a server as `useQuire` leads the Drive client. */
export async function useSearch(drive: Parameters<typeof useQuire>[0]) {
  await useQuire(drive);
  const { fetchDocuments } = await import('../../shared/connectors/fetch-documents.ts');
  return {
    ...(await import('../../shared/connectors/search-documents.ts')),
    ...(await import('../../shared/connectors/folder-tree.ts')),
    ...(await import('../../shared/connectors/answer-question.ts')),
    /** Fetches documents for a key that may read these folders. */
    fetchDocuments: (folders: string[], ids: string[], limitMs?: number) =>
      fetchDocuments({ keyId: 'key_1', folders, ids }, limitMs),
  };
}

export type ConnectedSearch = Awaited<ReturnType<typeof useSearch>>;
