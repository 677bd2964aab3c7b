import type { APIGatewayProxyEvent } from 'aws-lambda';

/** The key that the authorizer let in, and its limits as the JSON that the authorizer wrote. */
export interface Caller {
  keyId: string;
  limits: string;
  /** The key's name, for the log. */
  keyName?: string;
}

/**
 * Reads the caller that the gateway's authorizer put beside the request. Throws if the route has no authorizer.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function callerOf(event: APIGatewayProxyEvent): Caller {
  const { keyId, keyName, limits } = event.requestContext.authorizer ?? {};
  if (typeof keyId !== 'string' || typeof limits !== 'string') {
    throw new Error('This route has no authorizer, and needs one');
  }
  return { keyId, limits, ...(typeof keyName === 'string' && { keyName }) };
}
