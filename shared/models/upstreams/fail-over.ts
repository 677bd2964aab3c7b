import OpenAI from 'openai';
import { UnprocessableEntityError } from '../../http/errors.ts';
import { errorWords, log } from '../../log.ts';
import type { AnswerBytes } from '../answer-bytes.ts';
import type { Model } from '../catalogue.ts';
import { admit, type Pause, recordFailure, recordNothing, recordSuccess } from '../circuit.ts';
import type { DialectName } from '../dialect-names.ts';
import { isEventStream, translateResponse } from '../dialects/translate.ts';
import { inOrder } from '../draw.ts';
import { withoutEchoes } from '../echoes.ts';
import {
  AnswerTooLargeError,
  ModelError,
  ModelPausedError,
  ModelUnreachedError,
  toModelError,
  unavailable,
} from '../errors.ts';
import { withOwnTemperature } from '../own-temperature.ts';
import { changeCircuit } from '../shared-circuits.ts';
import { type Head, readHead } from './answer-head.ts';
import type { ModelRequest, RequestBody, TakenPrompts } from './model-request.ts';
import { spokenBy, type Told, toldIn } from './request-in-dialect.ts';
import { type Asked, askUpstream } from './upstream.ts';
import { dialects } from './wires.ts';

/** The response of the upstream that answered. */
export interface OpenedCompletion extends Head, Asked {
  upstream: string;
  /** The upstream's name for the model that was asked. */
  model: string;
}

const nobodyPays: TakenPrompts = { onTaken: () => {}, coverNext: async () => true };

/**
 * Sends a request to a model's upstreams in their order (`draw.ts`); the first answer counts. After a throttle, a fault or a timeout
 * before content the next is tried, if the call can pay for it. Throws `ModelError`: 400 or 404 for a refusal, 429 if
 * all that were asked throttle, 503 if none is left or `signal` aborts; `UnprocessableEntityError` if no upstream's dialect can say the request.
 */
export async function openCompletion(
  model: Model,
  keyId: string,
  request: ModelRequest,
  signal: AbortSignal,
  bytes: AnswerBytes,
  taken: TakenPrompts = nobodyPays,
): Promise<OpenedCompletion> {
  const { dialect, body, headers } = request;
  const failures: ModelError[] = [];
  let untold: UnprocessableEntityError | undefined;
  for (const each of inOrder(model.upstreams, keyId, body)) {
    const { upstream, model: upstreamModel } = each;
    const last = failures.at(-1);
    if ((last ?? untold) && !(await taken.coverNext())) {
      if (!last) break;
      throw unavailable(`${last.message} ${notCovered}`, last, last.retryAfterSeconds ?? 1);
    }
    const circuit = `${upstream} ${upstreamModel}`;
    const pause = await changeCircuit(circuit, () => admit(circuit, keyId));
    if (pause) {
      failures.push(pausedError(upstream, pause));
      continue;
    }
    try {
      const spoken = each.dialects ?? spokenBy(upstream);
      const opened = await withOwnTemperature(circuit, request.temperature, async (own) => {
        const said = { dialect, headers, body: { ...body, ...own, model: upstreamModel } };
        const asked = await askIn(spoken, model, upstream, said, signal, bytes, taken);
        const answer = { ...asked, dialect, isStreamed: body.stream === true, signal, bytes };
        return { ...asked, ...(await readHead(answer, () => taken.onTaken('silent'))) };
      });
      await changeCircuit(circuit, () => recordSuccess(circuit, keyId));
      return { ...opened, upstream, model: upstreamModel };
    } catch (error) {
      const told =
        signal.aborted && !(error instanceof ModelError)
          ? unavailable('The model did not answer in time.', error)
          : toModelError(error);
      if (signal.aborted || !(told instanceof ModelError)) {
        await changeCircuit(circuit, () => recordNothing(circuit, keyId));
        if (!(told instanceof UnprocessableEntityError)) throw told;
        untold ??= told;
        continue;
      }
      if (told instanceof AnswerTooLargeError) {
        await changeCircuit(circuit, () => recordSuccess(circuit, keyId));
        throw told;
      }
      const failure = withoutPrompt(told, body);
      const record = isUpstreamsFault(failure) ? recordFailure : recordSuccess;
      await changeCircuit(circuit, () => record(circuit, keyId));
      if (!isUpstreamsFault(failure) && !isTooLarge(failure)) throw failure;
      log('warn', 'upstream failed', { upstream, model: model.id, error: errorWords(failure) });
      failures.push(failure);
    }
  }
  throw failures.length === 0 && untold ? untold : noneLeft(failures);
}

/** Asks an upstream in the caller's dialect, or in the first that it speaks, and returns its response in the caller's. */
async function askIn(
  among: readonly DialectName[],
  model: Model,
  upstream: string,
  { dialect, body, headers }: ModelRequest,
  signal: AbortSignal,
  bytes: AnswerBytes,
  taken: TakenPrompts,
): Promise<Asked> {
  const told = toldIn(among, model, upstream, { dialect, body });
  const { translated } = told;
  const sent = translated ? told : { ...told, headers };
  const askedAtMs = Date.now();
  const { response, idleTimeoutMs } = await askUpstream(upstream, sent, signal, bytes, taken);
  if (!translated && (dialect === 'embeddings' || isAsAsked(response, body))) {
    return { response, idleTimeoutMs };
  }
  const { from, to, question } = translated ?? asItself(told);
  const asked = { ...question, askedAtMs };
  return { response: translateResponse(response, from, to, asked, bytes), idleTimeoutMs };
}

const isAsAsked = (response: Response, { stream }: RequestBody) =>
  isEventStream(response) === (stream === true);

/** Returns the translation of an answer that came streamed though it was asked in one piece, or the other way round. */
function asItself({ dialect, body: { model, stream, n } }: Told): Told['translated'] & {} {
  if (dialect === 'embeddings' || Number(n ?? 1) > 1)
    throw unavailable('The model answered in another form.');
  const own = dialects[dialect];
  return { from: own, to: own, question: { model, messages: [], stream: stream === true } };
}

/** What is said of an upstream that is not asked: which one it is, and for how long. */
function pausedError(upstream: string, { waitMs, isForAll }: Pause): ModelPausedError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const message = isForAll
    ? `The model's provider ${upstream} failed repeatedly and is left alone for ${retryAfterSeconds} s.`
    : `The last calls of this key failed at the model's provider ${upstream}, which gets no more of them for ${retryAfterSeconds} s.`;
  return new ModelPausedError(503, 'model_unavailable', message, { retryAfterSeconds });
}

const notCovered =
  'What it was sent may be billed, and the budget does not cover sending it to the next provider too.';

/** Whether another model may answer what this one's upstreams did not: they failed, or can't be sent it. */
export const mayAnswerElsewhere = (error: unknown): boolean =>
  error instanceof UnprocessableEntityError ||
  (error instanceof ModelError &&
    !(error instanceof AnswerTooLargeError) &&
    (isUpstreamsFault(error) || isTooLarge(error) || error.code === 'context_length_exceeded'));

/** Whether a request is larger than our account with the provider may send. Another provider may take it. */
const isTooLarge = ({ code }: ModelError) => code === 'request_too_large';

function withoutPrompt(failure: ModelError, body: RequestBody): ModelError {
  if (failure instanceof ModelUnreachedError) return failure;
  const { statusCode, code, message, cause, retryAfterSeconds, param } = failure;
  const isAnswer = cause instanceof OpenAI.APIError && cause.status !== undefined;
  return new ModelError(statusCode, code, withoutEchoes(message, body), {
    cause: isAnswer ? new Error(`The provider answered ${cause.status}`) : cause,
    retryAfterSeconds,
    param,
  });
}

const isUpstreamsFault = ({ statusCode }: ModelError) => statusCode === 429 || statusCode >= 500;

/** Makes the error for a model without an upstream left: the last failure's message, and the soonest advice. */
function noneLeft(failures: ModelError[]): ModelError {
  const advised = failures.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? []);
  const last = failures.at(-1);
  if (last && failures.every(isTooLarge)) return last;
  const message = last?.message ?? 'The model has no upstream.';
  const retryAfterSeconds = advised.length > 0 ? Math.min(...advised) : 1;
  const asked = failures.filter((failure) => !(failure instanceof ModelPausedError));
  if (last && asked.length === 0) {
    return failures.find((failure) => failure.retryAfterSeconds === retryAfterSeconds) ?? last;
  }
  const options = { cause: last, retryAfterSeconds };
  if (asked.length > 0 && asked.every(({ statusCode }) => statusCode === 429)) {
    const said = `The model’s provider takes no more for now: ${message}`;
    return new ModelError(429, 'model_rate_limited', said, options);
  }
  return failures.length > 0 && failures.every((each) => each instanceof ModelUnreachedError)
    ? new ModelUnreachedError(503, 'model_unavailable', message, options)
    : unavailable(message, last, retryAfterSeconds);
}
