import { appendFileSync } from 'node:fs';
import type { SignedRequest } from './signed-request.ts';

/**
 * Returns what notes each call of a function to AWS's services, in the file that `QUIRE_CALL_LOG` names: the
 * function, the service, and the operation, or the method where the service has none.
 */
export function callLog(name: string): (request: SignedRequest) => void {
  const file = process.env['QUIRE_CALL_LOG'];
  if (!file) return () => {};
  return ({ service, operation, method }) =>
    appendFileSync(file, `${name} ${service} ${operation || method}\n`);
}
