import { bytesPerToken, estimateTokens } from './token-bounds.ts';

/** Counts the output of a completion from its text. */
export class OutputCount {
  /** What the tokens likely are. */
  estimatedTokens = 0;
  /** The fewest that they can be. */
  leastTokens = 0;
  /** The most that they can be, as no tokenizer makes more tokens of a text than it has bytes. */
  bytes = 0;
  private readonly texts = new Map<string, LeastTokens>();

  /** Adds a message, or a delta, of a choice. Returns whether it has any text. */
  add(choice: number, output: object): boolean {
    const before = this.bytes;
    visitOutput(output, (text) => this.addText(choice, text));
    return this.bytes > before;
  }

  /** Adds output that came and isn't read: so it is estimated as text. */
  addUnread(bytes: number): void {
    this.estimatedTokens += Math.ceil(bytes / bytesPerToken);
    this.bytes += bytes;
  }

  private addText(choice: number, { text, path, isWritten }: OutputText): void {
    this.estimatedTokens += estimateTokens(text);
    this.bytes += Buffer.byteLength(text);
    if (!isWritten) return;
    const name = `${choice}${path}`;
    const least = this.texts.get(name) ?? new LeastTokens();
    this.texts.set(name, least);
    this.leastTokens -= least.count;
    least.add(text);
    this.leastTokens += least.count;
  }
}

/** Fields whose text is not the model's output. */
const labels = new Set(['role', 'id', 'type', 'index', 'format']);

/** Fields whose text the model wrote word for word. Others may be data, or quote what others wrote. */
const written = new Set([
  ...['content', 'text', 'refusal', 'thinking', 'reasoning_content', 'reasoning'],
  ...['tool_calls', 'function_call', 'function', 'arguments', 'custom', 'input'],
]);

/** A text in a message or delta. */
interface OutputText {
  text: string;
  /** The fields that lead to it: it goes on with the text of the same path. */
  path: string;
  /** Whether the model wrote it word for word. */
  isWritten: boolean;
}

/**
 * Visits all text of a message or delta, at any depth. Thoughts under two names are visited once.
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
function visitOutput(
  part: unknown,
  visit: (text: OutputText) => void,
  path = '',
  isWritten = true,
): void {
  if (typeof part === 'string' && part !== '') visit({ text: part, path, isWritten });
  if (typeof part !== 'object' || part === null) return;
  const fields = part as Record<string, unknown>;
  for (const [key, value] of Object.entries(fields)) {
    if (labels.has(key) || isToldTwice(key, fields)) continue;
    const isOfOutput = isWritten && (Array.isArray(part) || written.has(key));
    visitOutput(value, visit, `${path}/${numberOf(value) ?? key}`, isOfOutput);
  }
}

/** A tool call's own number: a delta has one call, which is its first, whichever it is. */
const numberOf = (value: unknown) => (value as { index?: unknown } | null | undefined)?.index;

function isToldTwice(key: string, { reasoning_content, reasoning }: Record<string, unknown>) {
  if (key === 'reasoning') return isText(reasoning_content);
  return key === 'reasoning_details' && (isText(reasoning_content) || isText(reasoning));
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';

/** Longer than the longest token in use: 256 spaces. */
const charactersPerToken = 256;

/** Longer than the longest token in use of scripts that write without spaces: 20 letters of Thai. */
const unspacedPerToken = 24;

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/**
 * Counts the fewest tokens that a text in pieces can be. No tokenizer in use joins two words, each with a letter,
 * into one token, nor makes longer tokens than these bounds.
 */
export class LeastTokens {
  private words = 0;
  private unspacedLetters = 0;
  private characters = 0;
  /** Whether the text so far ends within a word, and whether that has a letter yet. */
  private isInWord = false;
  private hasLetter = false;

  get count(): number {
    return Math.max(
      this.words,
      Math.ceil(this.unspacedLetters / unspacedPerToken),
      Math.ceil(this.characters / charactersPerToken),
    );
  }

  add(text: string): void {
    if (text === '') return;
    this.characters += text.length;
    this.unspacedLetters += text.match(unspaced)?.length ?? 0;
    for (const { 0: word, index } of text.matchAll(/\S+/g)) {
      const goesOn = index === 0 && this.isInWord;
      if (!goesOn) this.hasLetter = false;
      if (this.hasLetter || !/\p{L}/u.test(word)) continue;
      this.hasLetter = true;
      this.words += 1;
    }
    this.isInWord = /\S$/.test(text);
  }
}
