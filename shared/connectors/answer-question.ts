import { errorFields, log } from '../log.ts';
import type { DriveAnswers, DriveQuestion } from './drive-documents.ts';
import { fetchDocuments } from './fetch-documents.ts';
import { searchDocuments } from './search-documents.ts';

/** Answers a question about a key's Drive folders, and logs one line about it: figures, and nothing that is asked. */
export async function answerQuestion(
  question: DriveQuestion,
): Promise<DriveAnswers[DriveQuestion['ask']]> {
  const { ask, keyId, folders } = question;
  const startedAt = performance.now();
  const fields = () => ({
    key_id: keyId,
    ask,
    folders: folders.length,
    duration_ms: Math.round(performance.now() - startedAt),
  });
  try {
    if (question.ask === 'fetch') {
      const documents = await fetchDocuments(question);
      const skipped = documents.filter((document) => 'skipped' in document).length;
      log('info', 'drive question', { ...fields(), documents: documents.length, skipped });
      return { documents };
    }
    const hits = await searchDocuments(folders, question.queries);
    log('info', 'drive question', { ...fields(), hits: hits.length });
    return { hits };
  } catch (error) {
    log('error', 'drive question failed', { ...fields(), ...errorFields(error) });
    throw error;
  }
}
