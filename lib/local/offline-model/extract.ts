import { mostCentral, mostRelevant } from './rank.ts';
import { isLong, type Reading } from './reading.ts';

const SENTENCES = 5;
const REPEATED_CHARACTERS = 300;

/** What the chat itself says to its question, or in short when nothing is asked: a few of its sentences. */
export function extract({ asked, isQuestion, material, instructions }: Reading): string {
  const relevant = mostRelevant([...instructions, ...material], asked, SENTENCES);
  if (relevant.length > 0) return relevant.join('\n');

  if (!isLong(material)) return nothingToExtract(asked);
  const summary = mostCentral(material, SENTENCES).join('\n');
  return isQuestion
    ? `No sentence shares a word with the question. The main sentences are:\n${summary}`
    : summary;
}

function nothingToExtract(asked: string): string {
  const said = [...asked.slice(0, REPEATED_CHARACTERS * 2)].slice(0, REPEATED_CHARACTERS).join('');
  const repeated = said.length < asked.length ? `${said}…` : said;
  return `It was given nothing to extract an answer from.${said && ` It was asked: “${repeated}”`}`;
}
