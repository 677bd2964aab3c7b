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
export interface Authorizer {
  decide(headers: IncomingHttpHeaders, methodArn: string): Promise<Decision>;
}

/**
 * Asks the authorizer's function about a token, and keeps its decision.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
 */
export class TokenAuthorizer implements Authorizer {
  private readonly config: AuthorizerConfig;
  private readonly cache = new Map<string, { decision: Decision; untilMs: number }>();

  constructor(config: AuthorizerConfig) {
    this.config = config;
  }

  async decide(
    { authorization: token }: IncomingHttpHeaders,
    methodArn: string,
  ): Promise<Decision> {
    if (!token || !this.config.validation.test(token)) return malformed;
    const cached = this.cache.get(token);
    if (cached && cached.untilMs > Date.now()) return cached.decision;
    try {
      const decision = decisionOf(await this.ask(token, methodArn));
      this.remember(token, decision);
      return decision;
    } catch (error) {
      return failed(error);
    }
  }

  private ask(authorizationToken: string, methodArn: string): Promise<unknown> {
    return this.config.function.invoke({ type: 'TOKEN', authorizationToken, methodArn });
  }

  private remember(token: string, decision: Decision): void {
    const now = Date.now();
    for (const [old, { untilMs }] of this.cache) if (untilMs <= now) this.cache.delete(old);
    this.cache.set(token, { decision, untilMs: now + this.config.ttlMs });
  }
}

/**
 * A REQUEST authorizer that keeps nothing and names no identity sources: its function is asked about each request.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/configure-api-gateway-lambda-authorization.html
 */
export class RequestAuthorizer implements Authorizer {
  private readonly function: FunctionHost;

  constructor(fn: FunctionHost) {
    this.function = fn;
  }

  async decide(headers: IncomingHttpHeaders, methodArn: string): Promise<Decision> {
    try {
      return decisionOf(await this.function.invoke({ type: 'REQUEST', headers, methodArn }));
    } catch (error) {
      return failed(error);
    }
  }
}

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
