import { noteUse } from '../ledger/note-use.ts';
import type { Hold } from '../ledger/reserve.ts';
import type { Outcome } from '../ledger/settle.ts';
import { errorFields, log } from '../log.ts';

/** A cent: what a call has used beyond its last note is noted once it is worth that, and at most once a second. */
const worthNanoUsd = 10_000_000;
const leastPauseMs = 1_000;

/** Whatever it is worth, it is noted at this age of the call, and each time that the age has doubled since. */
const firstAgeMs = 10_000;

/**
 * Notes what a call has used while it is under way, so that one whose process dies isn't free. Most calls end before their
 * first note. Notes that can't be written are left out.
 */
export class UseNotes {
  private readonly hold: Hold;
  private readonly used: () => Outcome | undefined;
  private notedNanoUsd = 0;
  private lookAtMs = 0;
  private isWriting = false;
  private nextLook: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** `used` returns what the call has used so far; undefined if that is nothing. */
  constructor(hold: Hold, used: () => Outcome | undefined) {
    this.hold = hold;
    this.used = used;
    this.noteAfter(firstAgeMs);
  }

  /** Tells that the call may have used more. */
  look(): void {
    if (this.nextLook) return;
    const now = performance.now();
    const look = () => {
      this.nextLook = undefined;
      this.lookAtMs = performance.now() + leastPauseMs;
      void this.noteFrom(worthNanoUsd);
    };
    if (now >= this.lookAtMs) look();
    else this.nextLook = setTimeout(look, this.lookAtMs - now).unref();
  }

  /** Ends the notes, as the call ends. */
  end(): void {
    clearTimeout(this.timer);
    clearTimeout(this.nextLook);
  }

  private noteAfter(pauseMs: number, ageMs = pauseMs): void {
    const note = () => {
      void this.noteFrom(1);
      this.noteAfter(ageMs, 2 * ageMs);
    };
    this.timer = setTimeout(note, pauseMs).unref();
  }

  private async noteFrom(leastNanoUsd: number): Promise<void> {
    const used = this.isWriting ? undefined : this.used();
    if (!used || used.costNanoUsd - this.notedNanoUsd < leastNanoUsd) return;
    this.isWriting = true;
    try {
      await noteUse(this.hold, used);
      this.notedNanoUsd = used.costNanoUsd;
    } catch (error) {
      log('warn', 'use not noted', { key_id: this.hold.charge.key_id, ...errorFields(error) });
    } finally {
      this.isWriting = false;
    }
  }
}
