import { Readable } from 'node:stream';
import type { Caller } from '../http/caller.ts';
import { completionErrorOf } from '../http/error-response.ts';
import { doneEvent, eventOf } from '../http/event-stream.ts';
import type { Note } from '../http/request-log.ts';
import type { Invocation, StreamedResponse } from '../http/stream-endpoint.ts';
import { limitsRequests, requestsAttribute } from '../ledger/account.ts';
import { toUsd } from '../ledger/nano-usd.ts';
import { errorWords } from '../log.ts';
import { brokeOff, noCompletion, toModelError, unavailable } from '../models/errors.ts';
import { brokenOff } from './broken-off.ts';
import { type CompletionRequest, chatSubject, upstreamBody } from './completion-request.ts';
import { type MeteredCall, openMeteredCall, readCompletion } from './metered-call.ts';
import { requireModel } from './models.ts';
import { ReadAhead } from './read-ahead.ts';

/**
 * How long an answer may take that isn't streamed. The gateway drops a response that sends nothing for five minutes:
 * the call would go on, and be paid, with nobody to have it.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
export const wholeAnswerMs = 280_000;

/**
 * Makes a chat completion, and responds as its upstream does, streamed or whole. Throws `NotFoundError` for a
 * model that the caller may not use, `BudgetExceededError` or `RequestsPerMinuteError`, and `ModelError`.
 */
export async function createCompletion(
  request: CompletionRequest,
  caller: Caller,
  { timeIsUp, note }: Invocation,
): Promise<StreamedResponse> {
  const model = requireModel(caller, request.model);
  note({ model: model.id });
  const call = await openMeteredCall({
    keyId: caller.keyId,
    model,
    body: upstreamBody(model, request),
    subject: chatSubject(request),
    onSettled: ({ promptTokens, completionTokens, costNanoUsd }) =>
      note({
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        cost_usd: toUsd(costNanoUsd),
      }),
    signal: request.stream
      ? timeIsUp
      : AbortSignal.any([timeIsUp, AbortSignal.timeout(wholeAnswerMs)]),
  });
  const headers = {
    ...limitHeaders(call),
    ...(call.sentLimit && { 'x-quire-max-tokens': String(call.sentLimit) }),
  };
  if (request.stream) {
    const wantsUsage = request.stream_options?.include_usage === true;
    return {
      statusCode: 200,
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers },
      body: forwardStream(call, wantsUsage, note),
    };
  }
  return {
    statusCode: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: Readable.from([await wholeCompletion(call)]),
  };
}

/** Reads a completion that isn't streamed, and settles the call before it is sent. Throws if it is none. */
async function wholeCompletion(call: MeteredCall): Promise<string> {
  try {
    const text = await readCompletion(call);
    if (!call.meter.finished) throw unavailable(noCompletion);
    return text;
  } catch (cause) {
    throw toModelError(cause);
  } finally {
    await call.end();
  }
}

/**
 * The headers that say what the caller has left: of the budget, or of the team's if that is less, and of the requests
 * in OpenAI's names.
 *
 * @see https://platform.openai.com/docs/guides/rate-limits
 */
function limitHeaders({ account, team = account }: MeteredCall): Record<string, string> {
  const left = Math.max(0, Math.min(account.available, team.available));
  const headers = { 'x-quire-budget-remaining-usd': String(toUsd(left)) };
  if (!limitsRequests(account)) return headers;
  const now = Date.now();
  const remaining = account.requests_per_minute - (account[requestsAttribute(now)] ?? 0);
  return {
    ...headers,
    'x-ratelimit-limit-requests': String(account.requests_per_minute),
    'x-ratelimit-remaining-requests': String(Math.max(0, remaining)),
    'x-ratelimit-reset-requests': `${Math.ceil((60_000 - (now % 60_000)) / 1000)}s`,
  };
}

/**
 * Forwards an upstream's stream byte for byte, and meters it. The chunk that holds only the usage is left out
 * unless the caller asked for it. A stream that breaks off ends with a chunk that has `error`, without `[DONE]`.
 * The call is settled however the stream ends, also if the caller hangs up or reads no further.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export async function* forwardStream(
  call: MeteredCall,
  wantsUsage: boolean,
  note: Note = () => {},
): AsyncGenerator<Uint8Array | string> {
  const ahead = new ReadAhead(call);
  let ended = false;
  try {
    for await (const piece of ahead.pieces()) {
      yield wantsUsage ? piece.bytes : piece.withoutUsage;
      ended ||= piece.isEnd;
    }
    if (!ended && !call.meter.finished) throw unavailable(brokeOff);
    if (!ended) yield doneEvent;
  } catch (error) {
    const told = brokenOff(error);
    note({ error: errorWords(told) });
    yield eventOf({ error: completionErrorOf(told) });
  } finally {
    await ahead.end();
  }
}
