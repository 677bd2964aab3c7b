import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { findKeyBySecret } from './key.ts';
import { limitsOfKey } from './key-limits.ts';

/**
 * Lets an active key in, and passes its id and limits on in the request's context, whose values can't be
 * objects. The gateway answers 401 to exactly one error message: `Unauthorized`.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export async function authorizeRequest({
  authorizationToken,
  methodArn,
}: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const secret = authorizationToken.replace(/^bearer /i, '');
  const key = await findKeyBySecret(secret);
  if (!key) throw new Error('Unauthorized');
  return {
    principalId: key.id,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        { Action: 'execute-api:Invoke', Effect: 'Allow', Resource: everyMethod(methodArn) },
      ],
    },
    context: { keyId: key.id, limits: JSON.stringify(limitsOfKey(key)) },
  };
}

/** The ARN of every route. The gateway caches the policy by token, so it must hold for the key's next request too. */
function everyMethod(methodArn: string): string {
  const [arn, stage] = methodArn.split('/');
  return `${arn}/${stage}/*`;
}
