/** Longer than the longest token in use: 256 spaces. */
const charactersPerToken = 256;

/** Longer than the longest token in use of scripts that write without spaces: 20 letters of Thai. */
const unspacedPerToken = 24;

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/**
 * Counts the fewest tokens that a text can be, which comes in pieces. No tokenizer in use makes one token of two words that
 * have a letter each and a space between them, nor a token longer than these bounds: so it is in the vocabularies of GPT-2
 * to GPT-4o, Claude, Llama, Gemma, Mistral, Qwen and DeepSeek.
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
