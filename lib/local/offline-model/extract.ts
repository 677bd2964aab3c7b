import { mostRelevant } from './rank.ts';
import { isLong, type Reading } from './reading.ts';
import { isQuestion as asks } from './sentences.ts';

const maxSentences = 5;
const maxEchoedCharacters = 300;

/** Returns the few sentences of a chat that fit its question best, or its beginning if nothing is asked. */
export function extract({ asked, isQuestion, material, instructions }: Reading): string {
  const relevant = mostRelevant([...instructions, ...material], asked, maxSentences);
  if (relevant.length > 0) return relevant.join('\n');

  const isTold = isLong(material) || (isQuestion && !material.every(asks));
  if (!isTold) return nothingToExtract(asked);
  const beginning = material
    .slice(0, maxSentences)
    .map(({ text }) => text)
    .join('\n');
  return isQuestion
    ? `No sentence shares a word with the question. The text begins:\n${beginning}`
    : beginning;
}

function nothingToExtract(asked: string): string {
  // Split into code points, of at most two code units each, so that no character is cut in half.
  const start = [...asked.slice(0, maxEchoedCharacters * 2)].slice(0, maxEchoedCharacters).join('');
  const echo = start.length < asked.length ? `${start}…` : start;
  return `It was given nothing to extract an answer from.${start && ` It was asked: “${echo}”`}`;
}
