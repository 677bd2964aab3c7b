import type { APIGatewayProxyEvent } from 'aws-lambda';
import { memory, type Room } from './byte-budget.ts';

/** Opens a request's room, and takes its body into it. Throws `NoRoomError`. */
export function roomFor({ body, requestContext }: APIGatewayProxyEvent): Promise<Room> {
  const { keyId } = requestContext.authorizer ?? {};
  return memory().open(typeof keyId === 'string' ? keyId : '', body?.length ?? 0);
}
