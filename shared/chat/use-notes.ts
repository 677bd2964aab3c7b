import { noteUse } from '../ledger/note-use.ts';
import type { Hold } from '../ledger/reserve.ts';
import type { Outcome } from '../ledger/settle.ts';
import { errorFields, log } from '../log.ts';

/** A cent: what a call has used beyond its last note is noted once it is worth that, and at most once a second. */
const worthNanoUsd = 10_000_000;
const leastPauseMs = 1_000;

/** The age at which a call's use is noted first, however small; then each time that the age has doubled. */
const firstAgeMs = 10_000;

/**
 * Notes what a call has used while it is under way, so that one whose process dies isn't free. Most calls end before their
 * first note. Notes that can't be written are left out. `used` returns what the call has used so far; undefined if that is
 * nothing.
 */
export function noteUses(hold: Hold, used: () => Outcome | undefined) {
  let [notedNanoUsd, lookAtMs, isWriting] = [0, 0, false];
  let nextLook: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function noteFrom(leastNanoUsd: number): Promise<void> {
    const now = isWriting ? undefined : used();
    if (!now || now.costNanoUsd - notedNanoUsd < leastNanoUsd) return;
    isWriting = true;
    try {
      await noteUse(hold, now);
      notedNanoUsd = now.costNanoUsd;
    } catch (error) {
      log('warn', 'use not noted', { key_id: hold.charge.key_id, ...errorFields(error) });
    } finally {
      isWriting = false;
    }
  }

  function noteAfter(pauseMs: number, ageMs = pauseMs): void {
    const note = () => {
      void noteFrom(1);
      noteAfter(ageMs, 2 * ageMs);
    };
    timer = setTimeout(note, pauseMs).unref();
  }

  noteAfter(firstAgeMs);
  return {
    /** Tells that the call may have used more. */
    look(): void {
      if (nextLook) return;
      const now = performance.now();
      const look = () => {
        nextLook = undefined;
        lookAtMs = performance.now() + leastPauseMs;
        void noteFrom(worthNanoUsd);
      };
      if (now >= lookAtMs) look();
      else nextLook = setTimeout(look, lookAtMs - now).unref();
    },

    /** Ends the notes, as the call ends. */
    end(): void {
      clearTimeout(timer);
      clearTimeout(nextLook);
    },
  };
}
