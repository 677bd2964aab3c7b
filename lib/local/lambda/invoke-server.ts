import { randomUUID } from 'node:crypto';
import type { Engine } from '../engines/engine.ts';
import { newServer } from '../engines/new-server.ts';
import { requireSignature } from '../engines/signature.ts';
import { functionArn } from '../template/resource-names.ts';
import type { FunctionHost } from './function-host.ts';
import { InvocationError, maxPayloadBytes } from './invocation.ts';
import { ThrottledError } from './quota.ts';

/** Much more is read of a payload before it is refused: a client that still sends wouldn't see the 413. */
const maxBodyBytes = 10 * maxPayloadBytes;

interface InvokeRequest {
  Params: { functionName: string };
  Headers: { 'x-amz-invocation-type'?: string };
  Body: Buffer | undefined;
}

/**
 * Starts a server for Lambda's Invoke by a function's name, in which a caller waits for the result.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export async function startInvokeServer(
  functionNamed: (name: string) => FunctionHost | undefined,
): Promise<Engine> {
  const server = newServer({
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 1024 },
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  server.addHook('onRequest', async ({ id }, reply) => {
    reply.header('x-amzn-requestid', id);
  });
  server.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const { statusCode = 500, message: Message } = error;
    const code = error instanceof InvokeError ? error.code : 'ServiceException';
    const Type = statusCode < 500 ? 'User' : 'Service';
    return reply.code(statusCode).header('x-amzn-errortype', code).send({ Type, Message });
  });
  server.post<InvokeRequest>(
    '/2015-03-31/functions/:functionName/invocations',
    async ({ id, params: { functionName }, headers, body }, reply) => {
      refuseOtherTypes(headers['x-amz-invocation-type']);
      const invoked = functionNamed(functionName);
      if (!invoked) throw functionNotFound(functionName);
      const event = readPayload(body);
      reply.type('application/json').header('x-amz-executed-version', '$LATEST');
      try {
        return reply.send(JSON.stringify(await invoked.invoke(event, id)));
      } catch (error) {
        if (!(error instanceof InvocationError)) throw error;
        const { errorType, message: errorMessage } = error;
        if (error instanceof ThrottledError) throw new InvokeError(429, errorType, errorMessage);
        reply.header('x-amz-function-error', 'Unhandled');
        return reply.send(JSON.stringify({ errorType, errorMessage }));
      }
    },
  );
  requireSignature(server.server);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => server.close() };
}

function refuseOtherTypes(type = 'RequestResponse'): void {
  if (type === 'RequestResponse') return;
  const message = `The local stage invokes a function as RequestResponse, not as ${type}.`;
  throw new InvokeError(400, 'InvalidParameterValueException', message);
}

/** No payload at all stands for an empty object, as on AWS. */
function readPayload(body: Buffer | undefined): unknown {
  if (body && body.length > maxPayloadBytes) throw tooLarge();
  try {
    return body?.length ? JSON.parse(body.toString()) : {};
  } catch (cause) {
    const message = `Could not parse request body into json: ${(cause as Error).message}`;
    throw new InvokeError(400, 'InvalidRequestContentException', message);
  }
}

/** An error that Invoke answers, other than one of the function. */
class InvokeError extends Error {
  readonly statusCode: number;
  readonly code: string;

  constructor(statusCode: number, code: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
  }
}

const tooLarge = () =>
  new InvokeError(
    413,
    'RequestTooLargeException',
    `Request must be smaller than ${maxPayloadBytes} bytes for the InvokeFunction operation`,
  );

const functionNotFound = (name: string) =>
  new InvokeError(404, 'ResourceNotFoundException', `Function not found: ${functionArn(name)}`);
