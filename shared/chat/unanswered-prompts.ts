import { raiseHold } from '../ledger/raise-hold.ts';
import type { Hold } from '../ledger/reserve.ts';
import type { Outcome } from '../ledger/settle.ts';
import type { TakenPrompts } from '../models/upstreams/model-request.ts';

/**
 * The prompts that upstreams took and did not answer, which they may bill. A caller with another upstream's answer
 * pays for each; one without an answer for those that we gave up, not for broken connections.
 */
export class UnansweredPrompts implements TakenPrompts {
  private readonly hold: Hold;
  private readonly taken: { how: 'silent' | 'broken'; prompt: Outcome }[] = [];
  private prompt: Outcome | undefined;
  private covered: number;

  /** `mostNanoUsd` is what the call can cost with other upstreams, if what is held was told by the first. */
  constructor(hold: Hold, mostNanoUsd = hold.charge.hold) {
    this.hold = hold;
    this.covered = Math.min(0, hold.charge.hold - mostNanoUsd);
  }

  /** Tells what a prompt alone costs with the model that is asked from here on. */
  asks(prompt: Outcome): void {
    this.prompt = prompt;
  }

  onTaken(how: 'silent' | 'broken'): void {
    if (this.prompt) this.taken.push({ how, prompt: this.prompt });
  }

  /** Holds what the unanswered prompts cost beside what the call holds for the answer. Returns false if the key can't. */
  async coverNext(): Promise<boolean> {
    const more = this.costNanoUsd - this.covered;
    if (more === 0) return true;
    const isCovered = (await raiseHold(this.hold, more)) === more;
    if (isCovered) this.covered += more;
    return isCovered;
  }

  get costNanoUsd(): number {
    return this.taken.reduce((sum, { prompt }) => sum + prompt.costNanoUsd, 0);
  }

  /** The cost of a call that no upstream answered; undefined if that is nothing. */
  get alone(): Outcome | undefined {
    const [first, ...others] = this.taken.filter(({ how }) => how === 'silent');
    return first && others.reduce((sum, { prompt }) => withPrompt(sum, prompt), first.prompt);
  }

  /** Returns an answer's outcome with the cost of unanswered prompts. */
  beside(answer: Outcome): Outcome {
    return this.taken.reduce((sum, { prompt }) => withPrompt(sum, prompt), answer);
  }
}

const withPrompt = (sum: Outcome, { costNanoUsd, promptTokens }: Outcome): Outcome => ({
  ...sum,
  costNanoUsd: sum.costNanoUsd + costNanoUsd,
  promptTokens: sum.promptTokens + promptTokens,
  figures: sum.figures === 'exact' ? 'estimated' : sum.figures,
});
