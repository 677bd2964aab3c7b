import { answerQuestion } from '../shared/connectors/answer-question.ts';
import type { DriveQuestion } from '../shared/connectors/drive-documents.ts';

/** Invoked by other functions of this service. */
export const handler = (question: DriveQuestion) => answerQuestion(question);
