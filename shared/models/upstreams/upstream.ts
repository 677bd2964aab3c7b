import { isDeepStrictEqual } from 'node:util';
import OpenAI, { type ClientOptions } from 'openai';
import { setting } from '../../config.ts';
import { UnprocessableEntityError } from '../../http/errors.ts';
import { errorWords, log } from '../../log.ts';
import type { AnswerBytes } from '../answer-bytes.ts';
import { catalogue, type Model } from '../catalogue.ts';
import { admit, type Pause, recordFailure, recordNothing, recordSuccess } from '../circuit.ts';
import type { DialectName } from '../dialect-names.ts';
import { type Ask, inTurns } from '../dialects/ask.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { withPlainTools } from '../dialects/plain-tools.ts';
import { isEventStream, translateResponse } from '../dialects/translate.ts';
import { inOrder } from '../draw.ts';
import { withoutEchoes } from '../echoes.ts';
import {
  AnswerTooLargeError,
  ModelError,
  ModelPausedError,
  ModelUnreachedError,
  refusesKey,
  toModelError,
  unavailable,
  unreached,
} from '../errors.ts';
import { outputLimitName } from '../output-limit-name.ts';
import { withOwnTemperature } from '../own-temperature.ts';
import { tellingIfSent } from '../sent-whole.ts';
import { changeCircuit } from '../shared-circuits.ts';
import { credentialsFor, forgetCredentials } from '../upstream-credentials.ts';
import { type Head, readHead } from './answer-head.ts';
import { dialects, wires } from './wires.ts';

/** A chat-completions request. Parameters that aren't named here pass through untouched. */
export interface CompletionBody extends RequestBody {
  model: string;
  messages: unknown[];
  /** The limit of its output. Each upstream gets it under the name that it knows. */
  max_tokens?: number | null | undefined;
  [parameter: string]: unknown;
}

/** A request in any dialect. */
export interface RequestBody {
  model: string;
  stream?: boolean | null | undefined;
  [parameter: string]: unknown;
}

/** An upstream's raw response, and the longest silence allowed while its body is read. */
export interface OpenedCompletion extends Head {
  response: Response;
  upstream: string;
  /** The upstream's name for the model that was asked. */
  model: string;
  idleTimeoutMs: number;
}

/** A request, and the dialect that it is in. */
export interface ModelRequest {
  dialect: DialectName;
  body: RequestBody;
  /** The caller's own headers, for an upstream that speaks the dialect. */
  headers?: Record<string, string> | undefined;
  /** Ours, where the caller gave none: it is left out for an upstream that refuses it. */
  temperature?: number | undefined;
}

/** What becomes of prompts that upstreams took without an answer: their providers may bill them. */
export interface TakenPrompts {
  /**
   * Told of each upstream that got the whole request and didn't answer: it was silent until its time was up, or its
   * connection broke. It may have read the prompt.
   */
  onTaken(how: 'silent' | 'broken'): void;
  /** Returns whether the call can pay for another upstream beside those that took the prompt. */
  coverNext(): Promise<boolean>;
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

/** The dialects that an upstream speaks. Where one address serves all, it is known to speak chat completions alone. */
export const spokenBy = (upstream: string): readonly DialectName[] =>
  setting('OPENAI_BASE_URL') ? ['chat'] : upstreamNamed(upstream).dialects;

type Asked = Pick<OpenedCompletion, 'response' | 'idleTimeoutMs'>;

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
  const { response, idleTimeoutMs } = await ask(upstream, sent, signal, bytes, taken);
  if (!translated && (dialect === 'embeddings' || isAsAsked(response, body))) {
    return { response, idleTimeoutMs };
  }
  const { from, to, question } = translated ?? asItself(told);
  const asked = { ...question, askedAtMs };
  return { response: translateResponse(response, from, to, asked, bytes), idleTimeoutMs };
}

const isAsAsked = (response: Response, { stream }: RequestBody) =>
  isEventStream(response) === (stream === true);

/** What an answer is put in the asked form by that came streamed though it was asked whole, or the other way round. */
function asItself({ dialect, body: { model, stream, n } }: Told): Told['translated'] & {} {
  if (dialect === 'embeddings' || Number(n ?? 1) > 1)
    throw unavailable('The model answered in another form.');
  const own = dialects[dialect];
  return { from: own, to: own, question: { model, messages: [], stream: stream === true } };
}

/** A request as an upstream is told it; and between which dialects its answer is to be translated, if it is another. */
interface Told {
  dialect: DialectName;
  body: RequestBody;
  translated?: { from: Dialect; to: Dialect; question: Ask };
}

/** Tells a request in its own dialect if that is among those spoken, else in the first of them. */
export function toldIn(
  among: readonly DialectName[],
  model: Model,
  upstream: string,
  { dialect, body }: Pick<ModelRequest, 'dialect' | 'body'>,
): Told {
  if (dialect === 'embeddings' || among.includes(dialect)) {
    const sent = (wires[dialect].sent?.(body) ?? body) as RequestBody;
    return { dialect, body: requestTo(model, upstream, dialect, sent) };
  }
  const spoken = among.find((each) => each !== 'embeddings') ?? 'chat';
  const question = dialects[dialect].readRequest(body);
  // Only Responses takes what was said in any order, and tools of its kinds.
  const asked =
    spoken === 'responses'
      ? question
      : withPlainTools({ ...question, messages: inTurns(question.messages) });
  const written = dialects[spoken].writeRequest(asked, model) as RequestBody;
  return {
    dialect: spoken,
    body: requestTo(model, upstream, spoken, written),
    translated: { from: dialects[spoken], to: dialects[dialect], question },
  };
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

/** Names the limit of a chat completion's output as an upstream does. */
function requestTo(
  model: Model,
  upstream: string,
  dialect: DialectName,
  request: RequestBody,
): RequestBody {
  if (dialect !== 'chat') return request;
  const { max_tokens, ...body } = request;
  if (!max_tokens) return body;
  return { ...body, [outputLimitName(model, upstream, upstreamNamed(upstream))]: max_tokens };
}

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

async function ask(
  name: string,
  { dialect, body, headers: own }: ModelRequest,
  signal: AbortSignal,
  bytes: AnswerBytes,
  taken: TakenPrompts,
): Promise<Asked> {
  const upstream = upstreamNamed(name);
  const { baseUrl, firstByteTimeoutMs, idleTimeoutMs } = upstream;
  const responseTimeoutMs = body.stream ? firstByteTimeoutMs : 10 * firstByteTimeoutMs;
  const { path, headers } = wires[dialect];
  let unsent: Error | undefined;
  const send = async () => {
    const credentials = await credentialsFor(upstream);
    const baseURL = setting('OPENAI_BASE_URL') ?? baseUrl;
    const client = clientOf(name, { ...credentials, baseURL, timeout: responseTimeoutMs });
    return tellingIfSent(
      () =>
        client
          .post(path, {
            body,
            signal,
            stream: body.stream === true,
            headers: { ...headers?.(String(credentials.apiKey), baseUrl), ...own },
          })
          .asResponse(),
      (error, isSentWhole) => {
        if (!isSentWhole && error instanceof OpenAI.APIConnectionError) unsent = error;
        if (!isSentWhole) return;
        if (isOurEnd(error)) taken.onTaken('silent');
        else if (error instanceof OpenAI.APIConnectionError) taken.onTaken('broken');
      },
    );
  };
  const sendAgain = (error: unknown) => {
    if (!refusesKey(error) || !forgetCredentials(upstream)) throw error;
    return send();
  };
  const response = await send()
    .catch(sendAgain)
    .catch((error: unknown) => {
      throw error === unsent ? unreached(error as Error) : error;
    });
  await requireType(response, dialect === 'embeddings');
  try {
    // As much as it says that it has. Of a stream no more is in memory than an event.
    if (!isEventStream(response)) await bytes.hold(Number(response.headers.get('content-length')));
  } catch (error) {
    await response.body?.cancel();
    throw error;
  }
  return { response, idleTimeoutMs: body.stream ? idleTimeoutMs : responseTimeoutMs };
}

const clients = new Map<string, { options: ClientOptions; client: OpenAI }>();

/** Returns an upstream's client: the one before, where it knows us by the same. Each takes a while to make. */
function clientOf(name: string, options: ClientOptions): OpenAI {
  const id = `${name} ${options.timeout}`;
  const before = clients.get(id);
  if (before && isDeepStrictEqual(before.options, options)) return before.client;
  const client = new OpenAI({ ...options, maxRetries: 0, logLevel: 'off' });
  clients.set(id, { options, client });
  return client;
}

/** Whether we ended a request, and not its provider. */
const isOurEnd = (error: unknown) =>
  error instanceof OpenAI.APIUserAbortError || error instanceof OpenAI.APIConnectionTimeoutError;

/** Throws for a response of another type: a proxy's error page may come with status 200. */
async function requireType(response: Response, isJson: boolean): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json') || (!isJson && isEventStream(response))) return;
  await response.body?.cancel();
  throw unavailable(`The model answered ${type || 'no type'}.`);
}

export function upstreamNamed(name: string) {
  const upstream = catalogue.upstreams[name];
  if (!upstream) throw new Error(`There is no upstream ${name}`);
  return upstream;
}
