import { useQuire } from '../drive/use-quire.ts';

/** Gives a test file Quire's search of a Drive, led to a server as `useQuire` leads the Drive client. */
export async function useSearch(drive: Parameters<typeof useQuire>[0]) {
  await useQuire(drive);
  return {
    ...(await import('../../shared/connectors/search-documents.ts')),
    ...(await import('../../shared/connectors/fetch-documents.ts')),
    ...(await import('../../shared/connectors/folder-tree.ts')),
    ...(await import('../../shared/connectors/answer-question.ts')),
  };
}

export type ConnectedSearch = Awaited<ReturnType<typeof useSearch>>;
