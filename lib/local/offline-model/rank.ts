import { type Sentence, termsOf } from './sentences.ts';

/** A sentence with a smaller share of the best score is left out. */
const minShareOfBest = 0.35;

/** Returns the sentences that share most words with a question, rare words above all, in their order. */
export function mostRelevant(
  sentences: readonly Sentence[],
  question: string,
  count: number,
): string[] {
  const asked = new Set(termsOf(question));
  const shared = sentences.map(({ terms }) => new Set(terms.filter((term) => asked.has(term))));
  const rarity = (term: string) =>
    Math.log(1 + sentences.length / shared.filter((terms) => terms.has(term)).length);
  const rarities = new Map([...asked].map((term) => [term, rarity(term)]));
  const scored = sentences.map(({ text }, index) => {
    const score = [...(shared[index] ?? [])].reduce(
      (sum, each) => sum + (rarities.get(each) ?? 0),
      0,
    );
    return { text, index, score };
  });
  const minScore = minShareOfBest * scored.reduce((most, { score }) => Math.max(most, score), 0);
  return scored
    .filter(({ score }) => score > 0 && score >= minScore)
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .filter(({ text }, at, all) => all.findIndex((each) => each.text === text) === at)
    .slice(0, count)
    .sort((one, other) => one.index - other.index)
    .map(({ text }) => text);
}
