import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  APIGatewayTokenAuthorizerEvent,
} from 'aws-lambda';
import { type Admission, admit, callerOfKey } from './key.ts';
import { secretPattern } from './secret.ts';

/**
 * Lets an active key in, with its id, name and limits in the request's context, whose values can't be objects. Any
 * other token is denied, not an error: the gateway keeps a denial, so that the token isn't looked up again, and an
 * error would be logged as a fault. The context tells the access log why.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export async function authorizeRequest(
  event:
    | Pick<APIGatewayTokenAuthorizerEvent, 'type' | 'authorizationToken' | 'methodArn'>
    | RequestEvent,
): Promise<APIGatewayAuthorizerResult> {
  const { methodArn } = event;
  const secret =
    event.type === 'TOKEN' ? event.authorizationToken.replace(bearer, '') : secretIn(event);
  const { key, refused } = await admissionOf(secret);
  return {
    principalId: key?.id ?? 'nobody',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: refused ? 'Deny' : 'Allow',
          Resource: everyMethod(methodArn),
        },
      ],
    },
    context: refused
      ? { ...(key && { keyId: key.id, keyName: key.name }), refused }
      : { ...callerOfKey(key) },
  };
}

type RequestEvent = Pick<APIGatewayRequestAuthorizerEvent, 'type' | 'headers' | 'methodArn'>;

/** HTTP's schemes are the same in any case. */
const bearer = /^bearer /i;

/** Finds the key in a request's headers, as OpenAI's or Anthropic's clients send it. Some send another of their own. */
export function secretIn({ headers }: Pick<RequestEvent, 'headers'>): string {
  const sent = new Map(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const authorization = sent.get('authorization') ?? '';
  const token = bearer.test(authorization) ? authorization.replace(bearer, '') : '';
  return secretPattern.test(token) ? token : (sent.get('x-api-key') ?? '');
}

/** A token without a secret's form costs no read. */
const admissionOf = async (secret: string): Promise<Admission> =>
  secretPattern.test(secret) ? admit(secret) : { refused: 'unknown' };

/** The ARN of every route. The gateway caches the policy by token, so it must hold for the key's next request too. */
function everyMethod(methodArn: string): string {
  const [arn, stage] = methodArn.split('/');
  return `${arn}/${stage}/*`;
}
