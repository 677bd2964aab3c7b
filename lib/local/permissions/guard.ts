import { appendFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { type CallFault, callFaults } from './call-faults.ts';
import { findGrant, type Permissions } from './policies.ts';
import { accessDenied, errorResponse, injected, unknownCredentials } from './refusal.ts';
import { readsBody, requirementsOf } from './required.ts';
import { readSignature, type SignedRequest } from './signed-request.ts';
import { usedGrants } from './used-grants.ts';

const http = process.getBuiltinModule('node:http');
// An import of node:http reads all that it lists. These three load Node's `fetch` with all it needs, which would be almost
// half of a thread's start. They are there as globals; a function that imports them by name from node:http won't load here.
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) {
  Object.defineProperty(http, name, { enumerable: false });
}

/** What the guard of a function knows. */
export interface GuardOptions {
  /** The function's name, as a file of used grants has it. */
  name: string;
  permissions: Permissions;
}

/**
 * Checks every AWS request of this thread against the function's permissions, at Node's own `http.request`, below the
 * bundles. A forbidden one is answered as by AWS, and never sent. Tests' faults happen here too.
 */
export function guardRequests(options: GuardOptions): void {
  const { request } = http;
  const judge = judgeFor(options);
  http.request = ((target: RequestOptions, ...rest: []) => {
    // The SDK's clients pass options first. A call that passes a URL first is not one of theirs.
    const signed = readSignature(target);
    const sent = request(target, ...rest);
    if (signed) check(sent, signed, judge);
    return sent;
  }) as typeof request;
  syncBuiltinESMExports();
}

/** What becomes of a request: it is answered here, or sent after a while. */
interface Verdict {
  response?: IncomingMessage;
  delayMs?: number;
}

function check(sent: ClientRequest, signed: SignedRequest, judge: Judge): void {
  const byHead = readsBody(signed) ? undefined : judge(signed, '');
  const refused = byHead?.response;
  // The client listens for the response as soon as it has the request.
  if (refused) queueMicrotask(() => answer(sent, refused));
  const end = sent.end.bind(sent);
  sent.end = ((body?: string | Buffer) => {
    const { response, delayMs } = byHead ?? judge(signed, body?.toString() ?? '{}');
    if (response) return byHead ? sent : answer(sent, response);
    if (!delayMs) return end(body);
    setTimeout(() => sent.destroyed || end(body), delayMs);
    return sent;
  }) as typeof sent.end;
}

type Judge = (signed: SignedRequest, body: string) => Verdict;

function judgeFor({ name, permissions }: GuardOptions): Judge {
  const report = usedGrants(name);
  const noteCall = callLog(name);
  const faults = callFaults(name);
  return (signed, body) => {
    noteCall(signed);
    const { service } = signed;
    if (signed.accessKeyId !== permissions.accessKeyId) {
      return { response: errorResponse(service, unknownCredentials()) };
    }
    let delayMs = 0;
    for (const required of requirementsOf(signed, body)) {
      const { action, resource } = required;
      const grant = findGrant(permissions.grants, action, resource);
      if (!grant) {
        return { response: errorResponse(service, accessDenied(permissions.userArn, required)) };
      }
      report(action, grant.resource);
      const fault = findGrant(faults(), action, resource);
      if (fault) takeMemory(fault);
      if (fault?.code) return { response: errorResponse(service, injected(fault)) };
      delayMs = Math.max(delayMs, fault?.delayMs ?? 0);
    }
    return { delayMs };
  };
}

/** Holds ever more, if a fault asks for it, until the thread is ended as one that is out of memory. */
function takeMemory({ outOfMemory }: CallFault): void {
  for (const held: number[][] = []; outOfMemory; )
    held.push(new Array(1e6).fill(held.length + 0.5));
}

function answer(sent: ClientRequest, response: IncomingMessage): ClientRequest {
  sent.emit('response', response);
  return sent.destroy();
}

/** Returns what notes each AWS call of a function, with its service and operation, in the file `QUIRE_CALL_LOG`. */
function callLog(name: string): (request: SignedRequest) => void {
  const file = process.env['QUIRE_CALL_LOG'];
  if (!file) return () => {};
  return ({ service, operation, method }) =>
    appendFileSync(file, `${name} ${service} ${operation || method}\n`);
}
