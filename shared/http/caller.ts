import type { APIGatewayProxyEvent } from 'aws-lambda';

/** Who calls: the key that the authorizer let in, and its limits as the authorizer wrote them down. */
export interface Caller {
  keyId: string;
  limits: string;
}

/** Reads the caller that the gateway's authorizer put beside the request. */
export function callerOf(event: APIGatewayProxyEvent): Caller {
  const { keyId, limits } = event.requestContext.authorizer ?? {};
  if (typeof keyId !== 'string' || typeof limits !== 'string') {
    throw new Error('This route has no authorizer, and needs one');
  }
  return { keyId, limits };
}
