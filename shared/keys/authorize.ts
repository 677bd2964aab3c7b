import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { type ApiKey, findKeyBySecret } from './key.ts';
import { limitsOfKey } from './key-limits.ts';
import { secretPattern } from './secret.ts';

/**
 * Lets an active key in, and passes its id and limits on in the request's context, whose values can't be
 * objects. Any other token is denied rather than refused by an error: the gateway keeps a denial as it keeps a
 * permission, so the same token is not looked up again, and answers both kinds of refusal with the same 401.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export async function authorizeRequest({
  authorizationToken,
  methodArn,
}: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const secret = authorizationToken.replace(/^bearer /i, '');
  const key = await activeKeyOf(secret);
  return {
    principalId: key?.id ?? 'nobody',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: key ? 'Allow' : 'Deny',
          Resource: everyMethod(methodArn),
        },
      ],
    },
    ...(key && { context: { keyId: key.id, limits: JSON.stringify(limitsOfKey(key)) } }),
  };
}

/** A token without a secret's form costs no read. */
const activeKeyOf = async (secret: string): Promise<ApiKey | undefined> =>
  secretPattern.test(secret) ? findKeyBySecret(secret) : undefined;

/** The ARN of every route. The gateway caches the policy by token, so it must hold for the key's next request too. */
function everyMethod(methodArn: string): string {
  const [arn, stage] = methodArn.split('/');
  return `${arn}/${stage}/*`;
}
