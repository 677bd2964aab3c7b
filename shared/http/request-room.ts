import type { APIGatewayProxyEvent } from 'aws-lambda';
import { memory, type Room } from './byte-budget.ts';

/** Opens a request's room, and takes its body into it. Throws `NoRoomError`. */
export async function roomFor({ body, requestContext }: APIGatewayProxyEvent): Promise<Room> {
  const { keyId } = requestContext.authorizer ?? {};
  const room = memory().room(typeof keyId === 'string' ? keyId : '');
  if (body) await room.take(body.length);
  return room;
}
