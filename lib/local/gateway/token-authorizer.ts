import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { FunctionHost } from '../lambda/function-host.ts';
import { InvocationError } from '../lambda/invocation.ts';

/** A TOKEN authorizer as the template describes it. */
export interface AuthorizerConfig {
  function: FunctionHost;
  validation: RegExp;
  ttlMs: number;
}

/** What the authorizer decided: the context for the function, or the gateway response to give. */
export type Decision =
  | { context: Record<string, unknown> }
  | { refused: 'UNAUTHORIZED' | 'ACCESS_DENIED' | 'AUTHORIZER_FAILURE' };

/** Asks the authorizer's function once per token and time to live; malformed tokens never reach it. */
export class TokenAuthorizer {
  private readonly config: AuthorizerConfig;
  private readonly cache = new Map<string, { decision: Decision; until: number }>();

  constructor(config: AuthorizerConfig) {
    this.config = config;
  }

  async decide(token: string | undefined, methodArn: string): Promise<Decision> {
    if (!token || !this.config.validation.test(token)) return { refused: 'UNAUTHORIZED' };
    const cached = this.cache.get(token);
    if (cached && cached.until > Date.now()) return cached.decision;
    try {
      const decision = decisionOf(await this.ask(token, methodArn));
      this.remember(token, decision);
      return decision;
    } catch (error) {
      const unauthorized = error instanceof InvocationError && error.message === 'Unauthorized';
      return { refused: unauthorized ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE' };
    }
  }

  private ask(authorizationToken: string, methodArn: string): Promise<unknown> {
    return this.config.function.invoke({ type: 'TOKEN', authorizationToken, methodArn });
  }

  private remember(token: string, decision: Decision): void {
    const now = Date.now();
    for (const [old, { until }] of this.cache) if (until <= now) this.cache.delete(old);
    this.cache.set(token, { decision, until: now + this.config.ttlMs });
  }
}

/** The stage's authorizer allows or denies the whole API at once, so its one statement decides. */
function decisionOf(result: unknown): Decision {
  const { policyDocument, context, principalId } = result as APIGatewayAuthorizerResult;
  const allowed = policyDocument.Statement.every(({ Effect }) => Effect === 'Allow');
  return allowed ? { context: { principalId, ...context } } : { refused: 'ACCESS_DENIED' };
}
