import { existsSync, readFileSync } from 'node:fs';
import type { Grant } from './policies.ts';

/** What calls of functions meet for a while: an error, or a delay before they are sent. */
export interface CallFault extends Grant {
  /** The error's code as the service names it; without one the call is only late. */
  code?: string;
  statusCode?: number;
  delayMs?: number;
}

/**
 * Returns what reads the faults that tests ask for: those in the file that `QUIRE_CALL_FAULTS` names, as it is at
 * each call. An action or a resource is told as in a policy.
 */
export function callFaults(): () => CallFault[] {
  const file = process.env['QUIRE_CALL_FAULTS'];
  if (!file) return () => [];
  return () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);
}
