import { existsSync, readFileSync } from 'node:fs';
import { fits, type Grant } from '../../../lib/local/permissions/policies.ts';

/** What functions meet for a while, as tests ask for it. */
export type Fault = CallFault | ClockFault;

/** What calls of functions meet: an error, a delay before they are sent, or the end of the function's memory. */
export interface CallFault extends Grant {
  /** The functions that meet it, as in a policy; without it all do. */
  function?: string;
  /** The error's code as the service names it; without one the call is only late. */
  code?: string;
  statusCode?: number;
  delayMs?: number;
  /** The function takes all the memory that it has, and more, before the call is sent. */
  outOfMemory?: true;
}

/** A clock that is wrong. */
export interface ClockFault {
  /** Whose clock, as in a policy. */
  clockOf: string;
  /** By how much it is ahead; negative if it is behind. */
  aheadMs: number;
}

/** Returns the faults of a function's calls, from the file `QUIRE_CALL_FAULTS` as it is at each call. */
export function callFaults(name: string): () => CallFault[] {
  const faults = faultsInFile();
  const isCallFault = (fault: Fault): fault is CallFault =>
    'action' in fault && fits(name, fault.function ?? '*');
  return () => faults().filter(isCallFault);
}

/** Returns what reads how far ahead a function's clock is; undefined if no test asks for faults. */
export function clockFault(name: string): (() => number) | undefined {
  if (!process.env['QUIRE_CALL_FAULTS']) return undefined;
  const faults = faultsInFile();
  return () =>
    faults().reduce(
      (sum, fault) => ('clockOf' in fault && fits(name, fault.clockOf) ? sum + fault.aheadMs : sum),
      0,
    );
}

function faultsInFile(): () => Fault[] {
  const file = process.env['QUIRE_CALL_FAULTS'];
  if (!file) return () => [];
  return () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);
}
