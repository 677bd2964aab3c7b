const epochMs = 10 * 60_000;

/** How long a charge may be held: a function's 15 minutes, and one to write down how it ended. */
export const holdLifeMs = 16 * 60_000;

/** Ten minutes in which charges begin; an account sums them apart, so that a closed one can be audited. */
export const epochOf = (ms: number) => Math.floor(ms / epochMs);

/** When every charge of an epoch has ended or expired. */
export const closesAt = (epoch: number) => (epoch + 1) * epochMs + holdLifeMs;

/** The account's attributes for an epoch: what its charges hold, and what they cost. */
export const heldName = (epoch: number) => `held_${epoch}`;
export const settledName = (epoch: number) => `settled_${epoch}`;

/** The bounds of an epoch's charge entries: their ids are UUIDv7, which begin with their time. */
export function entryBounds(epoch: number): { from: string; to: string } {
  return {
    from: `charge_${uuidPrefix(epoch * epochMs)}`,
    to: `charge_${uuidPrefix((epoch + 1) * epochMs)}`,
  };
}

/** What the UUIDv7 of an instant begins with. */
export function uuidPrefix(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** The time within an id such as a charge's. */
export function timeOf(id: string): number {
  const [high = '', low = ''] = id.replace(/^[a-z]+_/, '').split('-');
  return Number.parseInt(high + low, 16);
}
