import { type Message, textOf } from './chat-request.ts';
import { isQuestion, type Sentence, sentencesOf } from './sentences.ts';

/** A chat as the extract needs it: what is asked, and the sentences that an answer may be taken from. */
export interface Reading {
  asked: string;
  isQuestion: boolean;
  /** The text that the user gave: if there are sources in it, those alone. */
  material: Sentence[];
  /** The system's and the developer's messages: an answer may stand in them, but they aren't summed up. */
  instructions: Sentence[];
  /** Whether the middle of a very long text was left out. */
  isPartial: boolean;
}

/** The line that every answer begins with. */
export const banner =
  '[offline model: an extract of what it was given, no language model was asked]';

/** A text of this many characters is long enough to be summed up. */
const longCharacters = 400;
/** The most that is read: a longer text's beginning and end. */
const maxCharacters = 1_000_000;
/** How many sentences from a message's beginning or end its question may stand. */
const questionReach = 3;

/** Finds the question of a chat, and what it may be answered from. */
export function readChat(messages: readonly Message[]): Reading {
  const lastIndex = messages.findLastIndex(({ role }) => role === 'user');
  const last = messages[lastIndex];
  const earlier = messages.filter((message, index) => index !== lastIndex && !isOwn(message));
  const instructing = earlier.filter(isInstruction);
  const informing = earlier.filter((message) => !isInstruction(message));

  const texts = [last ? [last] : [], informing, instructing].map((some) =>
    some.map(textOf).join('\n\n'),
  );
  const [lastText = '', informingText = '', instructingText = ''] = texts.map(withoutMiddle);
  const { text, sources } = splitSources(lastText);
  const { rest, ...question } = splitQuestion(text);
  return {
    ...question,
    material: sources ?? [...sentencesOf(informingText), ...rest],
    // Instructions about sources are no part of an answer.
    instructions: sources ? [] : sentencesOf(instructingText),
    isPartial: texts.some((text) => text.length > maxCharacters),
  };
}

/** Whether sentences are together long enough to be summed up. */
export function isLong(sentences: readonly Sentence[]): boolean {
  let characters = 0;
  return sentences.some(({ text }) => {
    characters += text.length;
    return characters >= longCharacters;
  });
}

function splitQuestion(text: string): { asked: string; isQuestion: boolean; rest: Sentence[] } {
  const sentences = sentencesOf(text);
  const isAsking = (sentence: Sentence, index: number) =>
    isQuestion(sentence) && (index < questionReach || index >= sentences.length - questionReach);

  const questions = sentences.filter(isAsking);
  if (questions.length > 0) {
    const rest = sentences.filter((sentence, index) => !isAsking(sentence, index));
    return { asked: questions.map((question) => question.text).join(' '), isQuestion: true, rest };
  }
  const [first, ...others] = sentences;
  if (first && /[:：]$/.test(first.text) && others.length > 0) {
    return { asked: first.text, isQuestion: false, rest: others };
  }
  if (isLong(sentences)) return { asked: '', isQuestion: false, rest: sentences };
  return { asked: text.trim(), isQuestion: false, rest: [] };
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

/** Whether a message is an earlier answer of the offline model. */
function isOwn(message: Message): boolean {
  return message.role === 'assistant' && textOf(message).includes(banner);
}

/** Leaves out the middle of a very long text: a question stands at its beginning or its end. */
function withoutMiddle(text: string): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters / 2)}\n${text.slice(-maxCharacters / 2)}`;
}

/** A message without the sources in it, and the sentences of those; undefined if it comes without sources. */
interface SplitMessage {
  text: string;
  sources: Sentence[] | undefined;
}

const source = /<source\b(?: n="(\d+)")?[^>]*>\n?([\s\S]*?)\n?<\/source>/g;
const listMarker = /^(?:[-*+]|\d+[.)])\s+/;

/** Takes the `<source n="1">…</source>` out of a message, as they are commonly given. Sentences cite a source's number. */
function splitSources(message: string): SplitMessage {
  const sources: Sentence[] = [];
  const text = message.replace(source, (_, n: string | undefined, content: string) => {
    for (const sentence of sentencesOf(content)) {
      const plain = sentence.text.replace(listMarker, '');
      sources.push({ ...sentence, text: n ? cited(plain, n) : plain });
    }
    return '';
  });
  const plain = text.replace(/<\/?sources>/g, '').trim();
  return { text: plain, sources: plain === message.trim() ? undefined : sources };
}

/** Writes a source's number into a sentence, before the mark that ends it. */
const cited = (sentence: string, n: string) => sentence.replace(/([.!?]?)$/, ` [${n}]$1`);
