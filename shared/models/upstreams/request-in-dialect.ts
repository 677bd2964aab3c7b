import { setting } from '../../config.ts';
import type { Model } from '../catalogue.ts';
import type { DialectName } from '../dialect-names.ts';
import { type Ask, inTurns } from '../dialects/ask.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { withPlainTools } from '../dialects/plain-tools.ts';
import { outputLimitName } from '../output-limit-name.ts';
import type { ModelRequest, RequestBody } from './model-request.ts';
import { upstreamNamed } from './upstream.ts';
import { dialects, wires } from './wires.ts';

/** A request as an upstream is told it; and between which dialects its answer is to be translated, if it is another. */
export interface Told {
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

/** The dialects that an upstream speaks. Where one address serves all, it is known to speak chat completions alone. */
export const spokenBy = (upstream: string): readonly DialectName[] =>
  setting('OPENAI_BASE_URL') ? ['chat'] : upstreamNamed(upstream).dialects;

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
