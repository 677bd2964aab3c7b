import { appendFileSync } from 'node:fs';
import type { SignedRequest } from './signed-request.ts';

/** Returns what notes each AWS call of a function, with its service and operation, in the file `QUIRE_CALL_LOG`. */
export function callLog(name: string): (request: SignedRequest) => void {
  const file = process.env['QUIRE_CALL_LOG'];
  if (!file) return () => {};
  return ({ service, operation, method }) =>
    appendFileSync(file, `${name} ${service} ${operation || method}\n`);
}
