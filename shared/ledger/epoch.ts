import { uuidPrefix } from '../uuid-time.ts';

const epochMs = 2 * 60_000;
/** Earlier releases had epochs of ten minutes. Their numbers stay below this until 2160; ours are above it since 2008. */
const maxLongEpoch = 10_000_000;
const longEpochMs = 10 * 60_000;

/** How long a charge may be held: a function's longest run of 15 minutes, and one minute to settle. */
const maxHoldMs = 16 * 60_000;

/**
 * The number of the two minutes in which a charge begins. An account keeps sums for each epoch, so that an
 * epoch that nobody writes to any more can be audited while the account is in use.
 */
export const epochOf = (ms: number) => Math.floor(ms / epochMs);

/** When an epoch can be audited, in ms since 1970: each of its charges has ended by then, or is lost. */
export const auditDueMs = (epoch: number) => (epoch + 1) * lengthOf(epoch) + maxHoldMs;

const lengthOf = (epoch: number) => (epoch < maxLongEpoch ? longEpochMs : epochMs);

/** The account's attribute for what the charges of an epoch hold. */
export const heldAttribute = (epoch: number) => `held_${epoch}` as const;

/** The account's attribute for what the ended charges of an epoch cost. */
export const settledAttribute = (epoch: number) => `settled_${epoch}` as const;

/** The bounds of the sort keys of an epoch's charges, whose ids begin with their time. */
export function chargeBounds(epoch: number): { from: string; to: string } {
  const length = lengthOf(epoch);
  return {
    from: `charge_${uuidPrefix(epoch * length)}`,
    to: `charge_${uuidPrefix((epoch + 1) * length)}`,
  };
}
