import type { Note } from '../http/request-log.ts';
import type { Outcome } from '../ledger/settle.ts';
import { toUsd } from '../ledger/terms/nano-usd.ts';
import type { UsageEvent } from './chat-event.ts';

/** What the answer to one message has used so far: model calls and searches that are settled. */
export class TurnUsage {
  private promptTokens = 0;
  private completionTokens = 0;
  private searches = 0;
  private searchNanoUsd = 0;
  /** Calls and searches together. */
  costNanoUsd = 0;
  /** Tells the request's line of each addition. */
  readonly note: Note;

  constructor(note: Note = () => {}) {
    this.note = note;
  }

  addCall({ promptTokens, completionTokens, costNanoUsd }: Outcome): void {
    this.promptTokens += promptTokens;
    this.completionTokens += completionTokens;
    this.costNanoUsd += costNanoUsd;
    this.note({
      prompt_tokens: this.promptTokens,
      completion_tokens: this.completionTokens,
      cost_usd: toUsd(this.costNanoUsd),
    });
  }

  addSearch(costNanoUsd: number): void {
    this.searches += 1;
    this.searchNanoUsd += costNanoUsd;
    this.costNanoUsd += costNanoUsd;
    this.note({ searches: this.searches, cost_usd: toUsd(this.costNanoUsd) });
  }

  /** The event that tells of it. */
  event(): UsageEvent {
    return {
      type: 'usage',
      tokens: {
        prompt: this.promptTokens,
        completion: this.completionTokens,
        total: this.promptTokens + this.completionTokens,
      },
      cost_usd: toUsd(this.costNanoUsd),
      ...(this.searches > 0 && {
        web_search: { searches: this.searches, cost_usd: toUsd(this.searchNanoUsd) },
      }),
    };
  }
}
