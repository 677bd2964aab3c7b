import { isDeepStrictEqual } from 'node:util';
import OpenAI, { type ClientOptions } from 'openai';
import { setting } from '../../config.ts';
import type { AnswerBytes } from '../answer-bytes.ts';
import { catalogue } from '../catalogue.ts';
import { isEventStream } from '../dialects/translate.ts';
import { refusesKey, unavailable, unreached } from '../errors.ts';
import { tellingIfSent } from '../sent-whole.ts';
import { credentialsFor, forgetCredentials } from '../upstream-credentials.ts';
import type { ModelRequest, TakenPrompts } from './model-request.ts';
import { wires } from './wires.ts';

/** An upstream's response, and the longest silence allowed while its body is read. */
export interface Asked {
  response: Response;
  idleTimeoutMs: number;
}

/** Asks an upstream in a dialect that it speaks. */
export async function askUpstream(
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

/** Returns an upstream of the catalogue. */
export function upstreamNamed(name: string) {
  const upstream = catalogue.upstreams[name];
  if (!upstream) throw new Error(`There is no upstream ${name}`);
  return upstream;
}
