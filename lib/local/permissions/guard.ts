import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { grantFor, type Permissions } from './policies.ts';
import { accessDenied, refusalResponse, unknownCredentials } from './refusal.ts';
import { readsBody, requirementsOf } from './required.ts';
import { readSignature, type SignedRequest } from './signed-request.ts';
import { type ReportGrant, usedGrants } from './used-grants.ts';

/** What the guard of a function knows. */
export interface GuardOptions {
  /** The function's name, as a file of used grants has it. */
  name: string;
  permissions: Permissions;
}

/**
 * Has every request that this thread's SDK clients send checked against the function's permissions, before it
 * leaves. One that isn't allowed is answered as AWS would, and never sent. The check sits below the bundles, at
 * Node's own `http.request`: the engines need not know of it, and it costs no hop.
 */
export function guardRequests(options: GuardOptions): void {
  const { request } = http;
  const report = usedGrants(options.name);
  http.request = ((target: RequestOptions, onResponse: (response: IncomingMessage) => void) => {
    const signed = readSignature(target);
    const sent = request(target, onResponse);
    if (signed) check(sent, signed, options.permissions, report);
    return sent;
  }) as typeof request;
  syncBuiltinESMExports();
}

function check(
  sent: ClientRequest,
  signed: SignedRequest,
  permissions: Permissions,
  report: ReportGrant,
): void {
  if (!readsBody(signed)) {
    const refused = refusalOf(signed, '', permissions, report);
    // The client listens for the response as soon as it has the request.
    if (refused) queueMicrotask(() => answer(sent, refused));
    return;
  }
  const end = sent.end.bind(sent);
  sent.end = ((body?: string | Buffer) => {
    const refused = refusalOf(signed, body?.toString() ?? '{}', permissions, report);
    return refused ? answer(sent, refused) : end(body);
  }) as typeof sent.end;
}

function refusalOf(
  signed: SignedRequest,
  body: string,
  permissions: Permissions,
  report: ReportGrant,
): IncomingMessage | undefined {
  if (signed.accessKeyId !== permissions.accessKeyId) {
    return refusalResponse(signed.service, unknownCredentials());
  }
  for (const required of requirementsOf(signed, body)) {
    const grant = grantFor(permissions, required.action, required.resource);
    if (!grant) {
      return refusalResponse(signed.service, accessDenied(permissions.userArn, required));
    }
    report(required.action, grant.resource);
  }
  return undefined;
}

function answer(sent: ClientRequest, response: IncomingMessage): ClientRequest {
  sent.emit('response', response);
  return sent.destroy();
}
