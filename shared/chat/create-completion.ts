import { Readable } from 'node:stream';
import type { Caller } from '../http/caller.ts';
import type { Invocation, StreamedResponse } from '../http/stream-endpoint.ts';
import { type Account, limitsRequests } from '../ledger/account.ts';
import { toUsd } from '../ledger/nano-usd.ts';
import { requestsName } from '../ledger/reserve.ts';
import { toModelError, unavailable } from '../models/errors.ts';
import { type CompletionRequest, upstreamBody } from './completion-request.ts';
import { forwardStream } from './forward-stream.ts';
import { type MeteredCall, openMeteredCall, readCompletion } from './metered-call.ts';
import { requireModel } from './models.ts';

/** Answers a chat-completions request as its upstream does, streamed or as a whole. */
export async function createCompletion(
  request: CompletionRequest,
  caller: Caller,
  { timeIsUp }: Invocation,
): Promise<StreamedResponse> {
  const model = requireModel(caller, request.model);
  const call = await openMeteredCall({
    keyId: caller.keyId,
    model,
    body: upstreamBody(model, request),
    subject: { tags: ['chat'] },
    signal: timeIsUp,
  });
  const headers = limitHeaders(call.account);
  if (request.stream) {
    const wantsUsage = request.stream_options?.include_usage === true;
    return {
      statusCode: 200,
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers },
      body: forwardStream(call, wantsUsage),
    };
  }
  return {
    statusCode: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: Readable.from([await wholeAnswer(call)]),
  };
}

/** The answer as it came, once it is known to be one; settled before it is sent. */
async function wholeAnswer(call: MeteredCall): Promise<string> {
  try {
    const text = await readCompletion(call);
    if (!call.meter.finished) throw unavailable('The model answered without a completion.');
    return text;
  } catch (cause) {
    throw toModelError(cause);
  } finally {
    await call.end();
  }
}

/** What is left to the caller, in OpenAI's names, and of the budget. */
function limitHeaders(account: Account): Record<string, string> {
  const headers = { 'x-quire-budget-remaining-usd': String(toUsd(Math.max(0, account.available))) };
  if (!limitsRequests(account)) return headers;
  const now = Date.now();
  const remaining = account.requests_per_minute - (account[requestsName(now)] ?? 0);
  return {
    ...headers,
    'x-ratelimit-limit-requests': String(account.requests_per_minute),
    'x-ratelimit-remaining-requests': String(Math.max(0, remaining)),
    'x-ratelimit-reset-requests': `${Math.ceil((60_000 - (now % 60_000)) / 1000)}s`,
  };
}
