import { type ChatRequest, countParts, type Message } from './chat-request.ts';
import { labelledValue, tableRows } from './document-fields.ts';
import { type Extracts, jsonFor } from './json-answer.ts';
import type { JsonSchema } from './json-schema.ts';
import { banner, isLong, type Reading, readChat } from './reading.ts';
import { isQuestion as asks, type Sentence, termsOf } from './sentences.ts';

/** Returns the offline model's answer to a chat, in the format that the request asks for. */
export function answer({ messages, response_format }: ChatRequest): string {
  const text = proseAnswer(messages);
  if (response_format?.type === 'json_object') return JSON.stringify({ answer: text });
  if (response_format?.type === 'json_schema') {
    const schema: JsonSchema = response_format.json_schema.schema ?? {};
    return JSON.stringify(jsonFor(schema, text, extractsOf(messages)));
  }
  return text;
}

const maxQuotes = 3;
const maxKeywords = 8;
/** Where a sentence goes on to ask something else. */
const nextQuestion = /,?\s+and\s+(?=(?:what|which|who|whose|when|where|why|how)\b)/i;

/** The values that a chat has for fields of JSON, by the fields' names. */
function extractsOf(messages: readonly Message[]): Extracts {
  const { asked, material } = readChat(messages);
  return {
    quotes: mostRelevant(material, asked, maxQuotes),
    questions: asked.split(nextQuestion).map((question) => question.trim()),
    queriesOf,
    valueOf: (name, schema) => labelledValue(messages, name, schema),
    rowsOf: (columns) => tableRows(messages, columns),
  };
}

/** Returns a question's words that carry its meaning, as one query, and the longest two as another. */
function queriesOf(asked: string): string[] {
  const terms = [...new Set(termsOf(asked))].filter((term) => term.length > 1);
  const words = terms.slice(0, maxKeywords);
  const longest = words.toSorted((one, other) => other.length - one.length).slice(0, 2);
  const rare = words.filter((word) => longest.includes(word));
  return [...new Set([words.join(' '), rare.join(' ')])].filter(Boolean);
}

function proseAnswer(messages: readonly Message[]): string {
  const reading = readChat(messages);
  const images = countParts(messages, 'image_url');
  const others = countParts(messages, 'input_audio') + countParts(messages, 'file');
  const notes = [
    banner,
    images > 0 && `Images given, which it can't see: ${images}.`,
    others > 0 && `Sounds and files given, which it can't open: ${others}.`,
    reading.isPartial && 'The text is very long: only its beginning and end were read.',
  ];
  return `${notes.filter(Boolean).join('\n')}\n\n${extract(reading)}`;
}

const maxSentences = 5;
const maxEchoedCharacters = 300;

/** Returns the few sentences of a chat that fit its question best, or its beginning if nothing is asked. */
function extract({ asked, isQuestion, material, instructions }: Reading): string {
  const relevant = mostRelevant([...instructions, ...material], asked, maxSentences);
  if (relevant.length > 0) return quoted(relevant);

  const isTold = isLong(material) || (isQuestion && !material.every(asks));
  if (!isTold) return nothingToExtract(asked);
  const beginning = quoted(material.slice(0, maxSentences).map(({ text }) => text));
  return isQuestion
    ? `No sentence shares a word with the question. The text begins:\n${beginning}`
    : beginning;
}

/** Rows of a table lose their outer bars: without the line below its head they are no table in Markdown. */
const quoted = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/^\|\s*|\s*\|$/g, '')).join('\n');

function nothingToExtract(asked: string): string {
  // Split into code points, of at most two code units each, so that no character is cut in half.
  const start = [...asked.slice(0, maxEchoedCharacters * 2)].slice(0, maxEchoedCharacters).join('');
  const echo = start.length < asked.length ? `${start}…` : start;
  return `It was given nothing to extract an answer from.${start && ` It was asked: “${echo}”`}`;
}

/** A sentence with a smaller share of the best score is left out. */
const minShareOfBest = 0.35;

/** Returns the sentences that share most words with a question, rare words above all, in their order. */
function mostRelevant(sentences: readonly Sentence[], question: string, count: number): string[] {
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
