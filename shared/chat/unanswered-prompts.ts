import { raiseHold } from '../ledger/raise-hold.ts';
import type { Hold } from '../ledger/reserve.ts';
import type { Outcome } from '../ledger/settle.ts';
import type { Model } from '../models/catalogue.ts';
import { CompletionMeter } from '../models/completion-meter.ts';
import type { SizedRequest } from '../models/token-bounds.ts';
import type { TakenPrompts } from '../models/upstream.ts';

/**
 * The prompts that upstreams took and did not answer, which they may bill. A caller with another upstream's answer
 * pays for each; one without an answer for those that we gave up, not for broken connections.
 */
export class UnansweredPrompts implements TakenPrompts {
  private readonly meter: CompletionMeter;
  private readonly hold: Hold;
  private readonly count = { silent: 0, broken: 0 };
  private covered = 0;

  constructor(model: Model, request: SizedRequest, hold: Hold) {
    this.meter = new CompletionMeter(model, request);
    this.hold = hold;
  }

  onTaken(how: 'silent' | 'broken'): void {
    this.count[how] += 1;
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
    const { silent, broken } = this.count;
    return silent + broken === 0 ? 0 : this.costOf(silent + broken).costNanoUsd;
  }

  /** What a call cost that nobody answered; undefined if that is nothing. */
  get alone(): Outcome | undefined {
    const { silent } = this.count;
    return silent > 0 ? this.costOf(silent) : undefined;
  }

  /** What a call cost that was answered in the end. */
  beside(answer: Outcome): Outcome {
    const count = this.count.silent + this.count.broken;
    if (count === 0) return answer;
    const { costNanoUsd, promptTokens } = this.costOf(count);
    return {
      ...answer,
      costNanoUsd: answer.costNanoUsd + costNanoUsd,
      promptTokens: answer.promptTokens + promptTokens,
      figures: answer.figures === 'exact' ? 'estimated' : answer.figures,
    };
  }

  private costOf(count: number): Outcome {
    const one = this.meter.outcome();
    const { costNanoUsd, promptTokens } = one;
    return { ...one, costNanoUsd: count * costNanoUsd, promptTokens: count * promptTokens };
  }
}
