import '../light-http.ts';

import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';
import { findGrant, type Permissions } from './policies.ts';
import { accessDenied, errorResponse, type Refusal, unknownCredentials } from './refusal.ts';
import { readsBody, requirementsOf } from './required.ts';
import { readSignature, type SignedRequest } from './signed-request.ts';

const http = process.getBuiltinModule('node:http');

/** The options of a function's guard. */
export interface GuardOptions {
  permissions: Permissions;
  instrument?: Instrument | undefined;
}

/**
 * Checks every AWS request of this thread against the function's permissions, at Node's own `http.request`, below the
 * bundles. A forbidden one is answered as by AWS, and never sent.
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

/** The decision on a request: it is answered here, or sent after a delay. */
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

function judgeFor({ permissions, instrument }: GuardOptions): Judge {
  return (signed, body) => {
    instrument?.called(signed);
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
      const trouble = instrument?.granted(action, resource, grant.resource);
      if (trouble?.refusal) return { response: errorResponse(service, trouble.refusal) };
      delayMs = Math.max(delayMs, trouble?.delayMs ?? 0);
    }
    return { delayMs };
  };
}

function answer(sent: ClientRequest, response: IncomingMessage): ClientRequest {
  sent.emit('response', response);
  return sent.destroy();
}

/** Watches a function's AWS requests for a test, and has them fail. */
export interface Instrument {
  /** Is called for each request. */
  called(request: SignedRequest): void;
  /** Is called for each action that a grant allows. May return a fault to have in its place. */
  granted(action: string, resource: string, grant: string): InjectedFault | undefined;
  /** Are called when an invocation begins, and when it ends. */
  begins(): void;
  ends(): void;
}

interface InjectedFault {
  refusal?: Refusal | undefined;
  delayMs?: number | undefined;
}

/** Loads the instrument of a function from the module that `QUIRE_INSTRUMENT` names; undefined if it names none. */
export async function instrumentOf(functionName: string): Promise<Instrument | undefined> {
  const file = process.env['QUIRE_INSTRUMENT'];
  return file ? (await import(pathToFileURL(file).href)).instrument(functionName) : undefined;
}
