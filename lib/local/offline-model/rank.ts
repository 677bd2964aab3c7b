import { type Sentence, termsOf } from './sentences.ts';

/** A sentence with a smaller share of the best score is left out. */
const minShareOfBest = 0.4;

/**
 * Returns the sentences closest to a question, in their order; none if no word is shared. They are ranked by
 * BM25 with the usual parameters, k1 = 1.2 and b = 0.75.
 * @see https://en.wikipedia.org/wiki/Okapi_BM25
 */
export function mostRelevant(
  sentences: readonly Sentence[],
  question: string,
  count: number,
): string[] {
  const asked = new Set(termsOf(question));
  const frequency = sentenceFrequency(sentences);
  const averageLength = sum(sentences.map(({ terms }) => terms.length)) / sentences.length;

  const scores = sentences.map(({ terms }) => {
    const lengthNorm = 1.2 * (0.25 + (0.75 * terms.length) / averageLength);
    const shared = new Set(terms.filter((term) => asked.has(term)));
    return sum(
      [...shared].map((term) => {
        const times = terms.filter((other) => other === term).length;
        const rarity = Math.log(1 + sentences.length / (frequency.get(term) ?? 1));
        return (rarity * times * 2.2) / (times + lengthNorm);
      }),
    );
  });
  const minScore = minShareOfBest * scores.reduce((a, b) => Math.max(a, b), 0);
  return best(
    sentences,
    scores.map((score) => (score < minScore ? 0 : score)),
    count,
  );
}

/** Returns the sentences that hold most of the words that a text repeats, in their order. */
export function mostCentral(sentences: readonly Sentence[], count: number): string[] {
  const frequency = sentenceFrequency(sentences);

  const scores = sentences.map(({ terms }, index) => {
    const recurring = sum(
      [...new Set(terms)].map((term) => {
        const among = frequency.get(term) ?? 1;
        return Math.log(among) * Math.log(1 + sentences.length / among);
      }),
    );
    // Earlier sentences count a little more: a text begins with what it is about.
    return (recurring + 1 / (1 + index)) / Math.sqrt(terms.length + 4);
  });
  return best(sentences, scores, count);
}

/** Returns for each term in how many sentences it occurs. */
function sentenceFrequency(sentences: readonly Sentence[]): Map<string, number> {
  const frequency = new Map<string, number>();
  for (const { terms } of sentences) {
    for (const term of new Set(terms)) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }
  return frequency;
}

function best(sentences: readonly Sentence[], scores: readonly number[], count: number): string[] {
  const scored = sentences.map(({ text }, index) => ({ text, index, score: scores[index] ?? 0 }));
  const seen = new Set<string>();
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(0, count)
    .sort((a, b) => a.index - b.index)
    .map(({ text }) => text);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
