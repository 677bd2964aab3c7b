import { askWithin, type Investigation } from './investigation.ts';
import { citedIn, sentencesOf, withoutSentences } from './sentences.ts';
import { attempt } from './study.ts';
import { checkTask } from './tasks.ts';

/** A part of the report after its check. */
export interface CheckedPart {
  text: string;
  /** Whether the model could say which of its sentences the notes support. */
  isChecked: boolean;
}

/**
 * Removes from a part of the report the sentences that cite a missing source, and those that say more than the
 * notes of the sources they cite.
 */
export async function checkPart(research: Investigation, part: string): Promise<CheckedPart> {
  const { studied, smallModel } = research;
  const sentences = sentencesOf(part);
  const removed = new Set<number>();
  const asked: number[] = [];
  for (const [index, sentence] of sentences.entries()) {
    const cited = citedIn(sentence);
    if (cited.length === 0) continue;
    if (cited.some((n) => studied[n - 1])) asked.push(index);
    else removed.add(index);
  }
  if (asked.length === 0) return { text: withoutSentences(sentences, removed), isChecked: true };
  const question = checkTask(
    asked.map((index) => {
      const sentence = sentences[index] ?? '';
      return { sentence, notes: citedIn(sentence).flatMap((n) => studied[n - 1]?.notes ?? []) };
    }),
  );
  const answer = await attempt({}, () => askWithin(research, smallModel, question));
  for (const n of answer?.unsupported ?? []) {
    const index = asked[n - 1];
    if (index !== undefined) removed.add(index);
  }
  return { text: withoutSentences(sentences, removed), isChecked: answer !== undefined };
}
