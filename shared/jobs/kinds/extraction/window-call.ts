import { isGone } from '../../../aws/is-gone.ts';
import type { ModelCall } from '../../../chat/hold-call.ts';
import { arraysOf } from '../../../extract/asked/field.ts';
import { readSchema } from '../../../extract/asked/read-schema.ts';
import type { ExtractSpec } from '../../../extract/asked/spec.ts';
import { messagesOf } from '../../../extract/messages.ts';
import type { MissedLine } from '../../../extract/outcome.ts';
import type { Model } from '../../../models/catalogue.ts';
import { estimateTokens } from '../../../models/token-bounds.ts';
import { chargeSubjectOf } from '../../asked/model-call.ts';
import type { Claimed } from '../../engine/item/job.ts';
import { getBytes } from '../../engine/item/objects.ts';
import type { ExtractionJob } from './extraction-job.ts';
import type { ExtractPage } from './source-pages.ts';

/** A model does worse on longer texts, even within its context window. */
const maxWindowCharacters = 80_000;
/** What the rows of a full page take in an answer, with their quotes. */
const tokensOfPage = 5_000;
const maxWindowPages = 10;
/** How often rows that are missing are asked for again. */
export const maxRepairs = 2;

/** The most that an answer may have: what is held for a window. A reasoning model's thoughts are among it. */
export const maxAnswerTokens = ({ maxOutputTokens }: Model) => Math.min(32_768, maxOutputTokens);

/** Returns how much of a document is put to a model at once. */
export function windowLimits(model: Model, spec: ExtractSpec, instruction = '') {
  const answer = Math.min(maxAnswerTokens(model), model.contextWindow / 4);
  const asked = estimateTokens(`${JSON.stringify(spec.schema)}${instruction}`) * 2;
  const room = (model.contextWindow - answer - asked) * 0.9;
  const hasRows = arraysOf(readSchema(spec.schema)).length > 0;
  const pages = Math.floor(maxAnswerTokens(model) / tokensOfPage);
  return {
    // Without rows an answer is short, for any number of pages.
    maxPages: hasRows ? Math.max(2, Math.min(maxWindowPages, pages)) : Number.POSITIVE_INFINITY,
    // Two bytes a token at the least, so that a text of any script fits.
    maxCharacters: Math.max(1, Math.min(maxWindowCharacters, Math.floor(room * 2))),
  };
}

/** A document's extraction, and the model that is asked. */
export interface Question {
  job: Claimed<ExtractionJob>;
  model: Model;
  spec: ExtractSpec;
  signal: AbortSignal;
}

/** Makes the call about the pages of a window; `missed` are the rows that it is asked for again. */
export async function windowCall(
  { job, model, spec, signal }: Question,
  pages: readonly ExtractPage[],
  missed: MissedLine[] | undefined,
): Promise<ModelCall> {
  const { messages, schema } = messagesOf(spec, [...pages], missed);
  const asked = withSchema(model, messages, schema);
  const { instruction } = job.extract ?? {};
  return {
    keyId: job.key_id,
    model,
    body: {
      model: model.id,
      max_tokens: maxAnswerTokens(model),
      messages: await withPictures(withInstruction(asked, instruction), pages),
      ...(model.jsonSchema !== false && { response_format: responseFormat(schema) }),
    },
    ...(!model.reasoning && { temperature: 0 }),
    subject: chargeSubjectOf(job, 'extract'),
    isLimitable: false,
    signal,
  };
}

/** @see https://platform.openai.com/docs/guides/structured-outputs */
const responseFormat = (schema: object) => ({
  type: 'json_schema' as const,
  json_schema: { name: 'extraction', strict: true, schema: { ...schema } },
});

interface Asked {
  role: string;
  content: string;
}

/** Tells the schema of the answer to a model that can't be held to one. */
function withSchema(model: Model, messages: readonly Asked[], schema: object): Asked[] {
  if (model.jsonSchema !== false) return [...messages];
  const told = `Answer with one JSON object alone, of this JSON Schema:\n${JSON.stringify(schema)}`;
  return withSystem(messages, told);
}

function withInstruction(messages: readonly Asked[], instruction: string | undefined): Asked[] {
  return instruction ? withSystem(messages, `Of the fields: ${instruction}`) : [...messages];
}

function withSystem(messages: readonly Asked[], text: string): Asked[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...messages];
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest];
}

/** Puts the pictures of pages that were read badly beside their text. */
async function withPictures(messages: Asked[], pages: readonly ExtractPage[]): Promise<unknown[]> {
  const parts: unknown[] = [];
  for (const { page, picture_object } of pages) {
    const jpeg = picture_object && (await pictureIn(picture_object));
    if (!jpeg) continue;
    const picture = Buffer.from(jpeg).toString('base64');
    const url = `data:image/jpeg;base64,${picture}`;
    parts.push({ type: 'text', text: `Page ${page} as a picture, as its text was read badly:` });
    parts.push({ type: 'image_url', image_url: { url, detail: 'high' } });
  }
  const last = messages.at(-1);
  if (parts.length === 0 || !last) return messages;
  const content = [{ type: 'text', text: last.content }, ...parts];
  return [...messages.slice(0, -1), { ...last, content }];
}

/** Pictures are the job's that read the pages, and go with it: a retry does without. */
async function pictureIn(object: string): Promise<Uint8Array | undefined> {
  try {
    return await getBytes(object);
  } catch (error) {
    if (!isGone(error)) throw error;
    return undefined;
  }
}
