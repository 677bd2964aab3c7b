import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { findKeyBySecret } from './key.ts';
import { limitsOfKey } from './key-limits.ts';

/** Lets an active key in, with its id and limits; the gateway turns the throw into its 401. */
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

/** The result is cached by token and must hold for every route, not just the one asked for first. */
function everyMethod(methodArn: string): string {
  const [arn, stage] = methodArn.split('/');
  return `${arn}/${stage}/*`;
}
