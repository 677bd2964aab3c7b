import { setting } from '../../config.ts';
import { Leases } from './leases.ts';

let leases: Leases | undefined;
let isRead = false;

/** The leases of this process; undefined where it serves one call at a time, or they are turned off. */
export function processLeases(): Leases | undefined {
  if (!isRead && setting('LEASES') === 'on') leases = begin();
  isRead = true;
  return leases;
}

/** A process that is told to end leaves nothing to the audit. */
function begin(): Leases {
  const begun = new Leases();
  process.once('SIGTERM', () => {
    begun.close().finally(() => process.exit());
  });
  return begun;
}
