import { deadline } from '../deadline.ts';
import type { Caller } from '../http/caller.ts';
import { heartbeatMs, within } from '../http/event-stream.ts';
import { type Invocation, piecesOf, type StreamedResponse } from '../http/stream-endpoint.ts';
import { limitsOf } from '../keys/key-limits.ts';
import { leftAfter } from '../ledger/left-after.ts';
import type { Hold } from '../ledger/reserve.ts';
import type { Metadata } from '../ledger/terms/metadata.ts';
import { toUsd } from '../ledger/terms/nano-usd.ts';
import type { Model } from '../models/catalogue.ts';
import type { ModelRequest } from '../models/upstreams/model-request.ts';
import { readAndSettle, type ToAnswer } from './ask.ts';
import { forwardStream } from './forward-stream.ts';
import { type ModelCall, type Route, sizedRequest } from './hold-call.ts';
import { holdInTime } from './hold-in-time.ts';
import { type MeteredCall, openHeldCall } from './metered-call.ts';
import { chatSubject } from './turn.ts';

/**
 * The longest time of an answer that isn't streamed: the gateway drops a response that is silent for five minutes.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
export const wholeAnswerMs = 280_000;

/** A request of a caller's, as an upstream is asked it. */
export interface Question extends ModelRequest {
  model: Model;
  fallbacks?: readonly Route[];
  metadata?: Metadata | null | undefined;
  wantsUsage?: boolean;
  /** Makes the answer that the caller gets of one that isn't streamed, as it was parsed. */
  toAnswer?: ToAnswer;
  /** The most bytes that its answer may have, if more than usual. */
  answerBytes?: number;
}

/**
 * Asks a model, and responds in the caller's dialect, streamed or whole. A stream's status waits for the first
 * content, as another upstream may be asked, but no longer than a connection may be silent; then errors are told
 * within it. Throws `BudgetExceededError`, `RequestsPerMinuteError`, `UnprocessableEntityError` and `ModelError`.
 */
export async function respond(
  { metadata, wantsUsage = true, toAnswer, ...asked }: Question,
  caller: Caller,
  { timeIsUp, note, room, waitMs }: Invocation,
): Promise<StreamedResponse> {
  const { model, dialect, body } = asked;
  note({ model: model.id });
  const isStreamed = body.stream === true;
  const time = isStreamed ? undefined : deadline(wholeAnswerMs, timeIsUp);
  const asking: ModelCall = {
    keyId: caller.keyId,
    ...asked,
    room,
    mayBeShorter: true,
    subject: chatSubject({ metadata }, dialect),
    onSettled: ({ promptTokens, completionTokens, costNanoUsd, model: other }) =>
      note({
        ...(other !== undefined && { model: other }),
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        cost_usd: toUsd(costNanoUsd),
      }),
    signal: time?.signal ?? timeIsUp,
  };
  const held = await holdInTime(asking, waitMs);
  const sentLimit = sizedRequest(held.call).max_tokens;
  const headers = {
    ...limitHeaders(held.hold, caller),
    ...(sentLimit && { 'x-quire-max-tokens': String(sentLimit) }),
  };
  const opening = openHeldCall(held);
  if (isStreamed) {
    opening.catch(() => {});
    const begun = await within(opening, heartbeatMs);
    return {
      statusCode: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache',
        ...headers,
        ...(begun !== 'silent' && answersIn(begun)),
      },
      body: forwardStream(opening, wantsUsage, note, dialect),
    };
  }
  try {
    const call = await opening;
    const { answer } = await readAndSettle(call, ({ text, value }) => ({
      answer: toAnswer ? JSON.stringify(toAnswer(value)) : text,
    }));
    return {
      statusCode: 200,
      headers: { 'content-type': 'application/json', ...headers, ...answersIn(call) },
      body: piecesOf(answer),
    };
  } finally {
    time?.clear();
  }
}

/** The headers that name the model and upstream; a stream has them if its first content came before it began. */
const answersIn = ({ answers: { model, upstream } }: MeteredCall) => ({
  'x-quire-model': model,
  'x-quire-upstream': upstream,
});

/**
 * The headers of what is left: of the key's or the team's budget, and of the requests in OpenAI's names.
 * @see https://platform.openai.com/docs/guides/rate-limits
 */
function limitHeaders(hold: Hold, caller: Caller): Record<string, string> {
  const now = Date.now();
  const left = leftAfter(hold, now);
  if (!left) return {};
  const { tokens } = left;
  const headers = {
    'x-quire-budget-remaining-usd': String(toUsd(left.availableNanoUsd)),
    ...(tokens && {
      'x-ratelimit-limit-tokens': String(tokens.limit),
      'x-ratelimit-remaining-tokens': String(Math.max(0, tokens.left)),
      'x-ratelimit-reset-tokens': `${Math.max(0, Math.ceil((tokens.untilMs - now) / 1000))}s`,
    }),
  };
  const limit =
    left.requestsPerMinute === undefined
      ? limitsOf(caller).requests_per_minute
      : left.requestsPerMinute;
  if (limit === null) return headers;
  return {
    ...headers,
    'x-ratelimit-limit-requests': String(limit),
    'x-ratelimit-remaining-requests': String(Math.min(limit, Math.max(0, limit - left.requests))),
    'x-ratelimit-reset-requests': `${Math.ceil((60_000 - (now % 60_000)) / 1000)}s`,
  };
}
