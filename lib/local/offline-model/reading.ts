import { type Message, textOf } from './chat-request.ts';
import { isQuestion, type Sentence, sentencesOf } from './sentences.ts';

/** A chat as the extract needs it: what is asked, and the sentences an answer may be taken from. */
export interface Reading {
  asked: string;
  isQuestion: boolean;
  /** What the chat's user gave to read. */
  material: Sentence[];
  /** Instructions: an answer may stand there, but they are not what a summary is wanted of. */
  instructions: Sentence[];
  isPartial: boolean;
}

/** The line every answer begins with. */
export const BANNER =
  '[offline model: an extract of what it was given, no language model was asked]';

const LONG_CHARACTERS = 400;
const MOST_CHARACTERS = 1_000_000;
const QUESTIONS_WITHIN = 3;

/** Finds the question of a chat and what it may be answered from. */
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
  const { rest, ...question } = splitQuestion(lastText);
  return {
    ...question,
    material: [...sentencesOf(informingText), ...rest],
    instructions: sentencesOf(instructingText),
    isPartial: texts.some((text) => text.length > MOST_CHARACTERS),
  };
}

/** Whether sentences are long enough together for a summary of them to be of use. */
export function isLong(sentences: readonly Sentence[]): boolean {
  let characters = 0;
  return sentences.some(({ text }) => {
    characters += text.length;
    return characters >= LONG_CHARACTERS;
  });
}

function splitQuestion(text: string): { asked: string; isQuestion: boolean; rest: Sentence[] } {
  const sentences = sentencesOf(text);
  const isAsking = (sentence: Sentence, index: number) =>
    isQuestion(sentence) &&
    (index < QUESTIONS_WITHIN || index >= sentences.length - QUESTIONS_WITHIN);

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

function isOwn(message: Message): boolean {
  return message.role === 'assistant' && textOf(message).includes(BANNER);
}

// A question stands at the start or the end, so that is what is kept.
function withoutMiddle(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS / 2)}\n${text.slice(-MOST_CHARACTERS / 2)}`;
}
