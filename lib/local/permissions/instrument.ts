import { pathToFileURL } from 'node:url';
import type { Refusal } from './refusal.ts';
import type { SignedRequest } from './signed-request.ts';

/** What watches a function's AWS requests for a test, and has them fail. */
export interface Instrument {
  /** Told of each. */
  called(request: SignedRequest): void;
  /** Told what a request may do, by the resource of which grant. Returns what becomes of it, if that is not the usual. */
  granted(action: string, resource: string, grant: string): Trouble | undefined;
  /** Told that an invocation begins. */
  begins(): void;
}

export interface Trouble {
  refusal?: Refusal | undefined;
  delayMs?: number | undefined;
}

/** Loads the instrument of a function from the module that `QUIRE_INSTRUMENT` names; undefined if it names none. */
export async function instrumentOf(functionName: string): Promise<Instrument | undefined> {
  const file = process.env['QUIRE_INSTRUMENT'];
  return file ? (await import(pathToFileURL(file).href)).instrument(functionName) : undefined;
}
