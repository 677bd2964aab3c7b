import type { IncomingHttpHeaders } from 'node:http';
import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { FunctionHost } from '../lambda/function-host.ts';
import { InvocationError } from '../lambda/invocation.ts';

/** A TOKEN authorizer as the template describes it. */
export interface AuthorizerConfig {
  function: FunctionHost;
  /** A token that doesn't fit this is refused without asking the function. */
  validation: RegExp;
  /** How long a decision is kept. */
  ttlMs: number;
}

/**
 * An authorizer's decision: the gateway response that refuses, or none; and the context that the authorizer gives,
 * which goes to the route's function and to the access log.
 */
export interface Decision {
  refused?: 'UNAUTHORIZED' | 'ACCESS_DENIED' | 'AUTHORIZER_FAILURE';
  context: Record<string, unknown>;
}

/** Decides about a request by its headers. */
export type Authorizer = (headers: IncomingHttpHeaders, methodArn: string) => Promise<Decision>;

/**
 * Asks the authorizer's function about a token, and keeps its decision.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
 */
export function tokenAuthorizer(config: AuthorizerConfig): Authorizer {
  const cache = new Map<string, { decision: Decision; untilMs: number }>();
  return async ({ authorization: token }, methodArn) => {
    if (!token || !config.validation.test(token)) return malformed;
    const cached = cache.get(token);
    if (cached && cached.untilMs > Date.now()) return cached.decision;
    const event = { type: 'TOKEN', authorizationToken: token, methodArn };
    try {
      const decision = decisionOf(await config.function.invoke(event));
      const now = Date.now();
      for (const [old, { untilMs }] of cache) if (untilMs <= now) cache.delete(old);
      cache.set(token, { decision, untilMs: now + config.ttlMs });
      return decision;
    } catch (error) {
      return failed(error);
    }
  };
}

/**
 * A REQUEST authorizer that keeps nothing and names no identity sources: its function is asked about each request.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/configure-api-gateway-lambda-authorization.html
 */
export const requestAuthorizer =
  (fn: FunctionHost): Authorizer =>
  (headers, methodArn) =>
    fn.invoke({ type: 'REQUEST', headers, methodArn }).then(decisionOf).catch(failed);

/** The decision where the function threw. */
function failed(error: unknown): Decision {
  const unauthorized = error instanceof InvocationError && error.message === 'Unauthorized';
  return { refused: unauthorized ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE', context: {} };
}

const malformed: Decision = { refused: 'UNAUTHORIZED', context: { refused: 'malformed' } };

/** Reads a policy. This service's authorizer allows or denies the whole API, so resources aren't compared. */
function decisionOf(result: unknown): Decision {
  const { policyDocument, context, principalId } = result as APIGatewayAuthorizerResult;
  const allowed = policyDocument.Statement.every(({ Effect }) => Effect === 'Allow');
  return { context: { principalId, ...context }, ...(!allowed && { refused: 'ACCESS_DENIED' }) };
}
