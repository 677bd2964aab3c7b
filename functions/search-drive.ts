import type { DriveAnswers, DriveQuestion } from '../shared/connectors/drive-documents.ts';
import { fetchDocuments } from '../shared/connectors/fetch-documents.ts';
import { searchDocuments } from '../shared/connectors/search-documents.ts';

/** Invoked by other functions of the service. */
export const handler = async (
  question: DriveQuestion,
): Promise<DriveAnswers[DriveQuestion['ask']]> =>
  question.ask === 'search'
    ? { hits: await searchDocuments(question.folders, question.queries) }
    : { documents: await fetchDocuments(question.folders, question.ids) };
