import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { timeouts } from './timeouts.ts';

/** Each caller has a limit of its own, beneath this: the longest that a function runs which is invoked so. */
const lambda = new LambdaClient(timeouts({ responseMs: 75_000 }));

/**
 * Invokes another function of this service and returns what it returns. Throws if it ends in an error or takes longer
 * than its limit, and the reason of `signal`.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export async function invokeFunction<Result>(
  name: string,
  payload: object,
  timeLimitMs: number,
  signal?: AbortSignal,
): Promise<Result> {
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(payload) }),
    {
      abortSignal: AbortSignal.any([AbortSignal.timeout(timeLimitMs), ...(signal ? [signal] : [])]),
    },
  );
  const text = Payload?.transformToString() ?? '';
  if (FunctionError) throw new Error(`${name} ended in ${FunctionError}`);
  return JSON.parse(text) as Result;
}
