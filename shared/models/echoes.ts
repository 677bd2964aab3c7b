/** A run of so many words that a request has too is taken for a quotation of it. */
const runLength = 3;
/** A longer word may be data in base64, of which a message quotes the beginning. */
const maxWordLength = 24;
const maxMessageLength = 1_000;

/** A request in any dialect, with the fields that hold what its caller wrote. */
interface Asked {
  messages?: unknown;
  input?: unknown;
  instructions?: unknown;
  system?: unknown;
  [parameter: string]: unknown;
}

/**
 * Leaves out of a provider's message what it quotes of a request, so that it may stand in a log: runs of three
 * words that the request has too, and single words of its messages that are no common English. Cuts a long one.
 */
export function withoutEchoes(message: string, request: Asked): string {
  const text = textOf(request);
  const { messages, input, instructions, system } = request;
  const asked = new Set(textOf([messages, input, instructions, system]).split(/\s+/).map(bare));
  const words = message.slice(0, maxMessageLength).trim().split(/\s+/);
  const isQuoted = (word: string) =>
    word.length > maxWordLength
      ? text.includes(word.slice(0, maxWordLength))
      : isTelling(word) && asked.has(word);
  const hidden = words.map((word) => isQuoted(bare(word)));
  for (let at = 0; at + runLength <= words.length; at++) {
    const run = words.slice(at, at + runLength).join(' ');
    if (text.includes(bare(run))) hidden.fill(true, at, at + runLength);
  }
  return words
    .flatMap((word, at) => (hidden[at] ? (hidden[at - 1] ? [] : ['…']) : [word]))
    .join(' ');
}

/** Whether a word is likely a caller's own, and no part of the message's language. */
const isTelling = (word: string) => /[^\x20-\x7e]|\d/.test(word);

/**
 * A text without the quotes and punctuation around it. What looks behind keeps a search for the end from beginning anew
 * within a long run of dots.
 */
const bare = (text: string) =>
  text.replace(/^["'`‘“(«[{]+/, '').replace(/(?<!["'`’”)»\]},.;:!?…])["'`’”)»\]},.;:!?…]+$/, '');

/** All strings in a value, at any depth, with single spaces. */
function textOf(value: unknown): string {
  const texts: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node === 'string') texts.push(node.replace(/\s+/g, ' '));
    else if (typeof node === 'object' && node !== null) Object.values(node).forEach(visit);
  };
  visit(value);
  return texts.join('\n');
}
