import MiniSearch from 'minisearch';
import { estimateTokens } from '../../models/token-bounds.ts';

/** A text to pick from, with the number by which it is cited. */
export interface NumberedText {
  n: number;
  text: string;
}

const maxPassageCharacters = 1_200;

/** Words, and single signs of scripts that put no spaces between words. */
const wordPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]]+/gv;
/** Longer words also find those that begin with them, such as plurals. */
const minPrefixCharacters = 4;

interface Passage extends NumberedText {
  id: number;
  tokens: number;
}

/**
 * Picks the passages that say most about the queries, about `maxTokens` in all, in the order of the sources, the best
 * of each included. Texts that fit are whole. If nothing matches, their beginnings are returned.
 */
export function pickPassages(
  sources: readonly NumberedText[],
  queries: readonly string[],
  maxTokens = 8_000,
): NumberedText[] {
  const passages = sources
    .flatMap(({ n, text }) => splitText(text).map((part) => ({ n, text: part })))
    .map((part, id): Passage => ({ ...part, id, tokens: estimateTokens(part.text) }));
  const picked = new Set<Passage>();
  let room = maxTokens;
  for (const passage of inOrderOfWorth(passages, queries, maxTokens)) {
    if (passage.tokens > room || picked.has(passage)) continue;
    picked.add(passage);
    room -= passage.tokens;
  }
  return passages.filter((passage) => picked.has(passage)).map(({ n, text }) => ({ n, text }));
}

/** Returns passages in the order in which they are picked: the best of each source, then the best of all. */
function inOrderOfWorth(
  passages: Passage[],
  queries: readonly string[],
  maxTokens: number,
): Passage[] {
  const total = passages.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= maxTokens) return passages;
  const scores = scoresOf(passages, queries);
  const matching = passages
    .filter(({ id }) => scores.has(id))
    .toSorted((one, other) => (scores.get(other.id) ?? 0) - (scores.get(one.id) ?? 0));
  const bySource = [...Map.groupBy(passages, ({ n }) => n).values()];
  if (matching.length === 0) return inTurns(bySource);
  const best = bySource.flatMap(
    ([first]) => matching.find(({ n }) => n === first?.n) ?? first ?? [],
  );
  return [...best, ...matching];
}

/** Scores passages by BM25. A query's best passage has 1, so that each query counts the same. */
function scoresOf(passages: Passage[], queries: readonly string[]): Map<number, number> {
  const index = new MiniSearch<Passage>({
    fields: ['text'],
    tokenize: (text) => text.match(wordPattern) ?? [],
  });
  index.addAll(passages);
  const scores = new Map<number, number>();
  for (const query of queries) {
    const results = index.search(query, { prefix: (term) => term.length >= minPrefixCharacters });
    const best = results[0]?.score ?? 1;
    for (const { id, score } of results) scores.set(id, (scores.get(id) ?? 0) + score / best);
  }
  return scores;
}

/** Takes one of each list in turns. */
function inTurns<Value>(lists: Value[][]): Value[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}

/** Splits a text at its paragraphs into passages; short paragraphs that follow each other share one. */
function splitText(text: string): string[] {
  const passages: string[] = [];
  let passage = '';
  for (const paragraph of text.split(/\n\s*\n/).flatMap(splitParagraph)) {
    const joined = passage ? `${passage}\n\n${paragraph}` : paragraph;
    if (joined.length <= maxPassageCharacters) passage = joined;
    else {
      passages.push(passage);
      passage = paragraph;
    }
  }
  return passage ? [...passages, passage] : passages;
}

const endPatterns = [/\n/g, /[.!?。！？](?=\s|$)/g, /\s/g];

/** Splits a paragraph that is too long: after a line, else after a sentence, else after a word, else anywhere. */
function splitParagraph(paragraph: string): string[] {
  const pieces: string[] = [];
  let rest = paragraph.trim();
  while (rest.length > maxPassageCharacters) {
    const head = rest.slice(0, maxPassageCharacters);
    const ends = endPatterns.map((pattern) => ([...head.matchAll(pattern)].at(-1)?.index ?? 0) + 1);
    const end = ends.find((at) => at > maxPassageCharacters / 4) ?? wholeCharacters(head);
    pieces.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest ? [...pieces, rest] : pieces;
}

/** Returns the length of a text without half a character at its end. */
const wholeCharacters = (text: string) => (text.isWellFormed() ? text.length : text.length - 1);
