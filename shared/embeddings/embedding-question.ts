import { endianness } from 'node:os';
import { refuseOtherCase } from '../chat/other-case.ts';
import type { Question } from '../chat/respond.ts';
import { unsupported } from '../chat/unsupported-parameters.ts';
import { maxAnswerBytes } from '../http/bounds.ts';
import { valueError } from '../http/errors.ts';
import type { EmbeddingModel, Model } from '../models/catalogue.ts';
import { unavailable } from '../models/errors.ts';
import {
  EmbeddingRequest,
  inputsOf,
  maxTokensInAll,
  refuseDimensions,
  refuseTooLong,
} from './embedding-request.ts';
import type { EmbeddingList } from './embeddings.ts';

/**
 * Returns the upstream's request: numbers, as each upstream knows them. Throws `UnprocessableEntityError` for what
 * the model doesn't take.
 */
export function embeddingQuestion(
  model: EmbeddingModel,
  request: EmbeddingRequest,
): Question & Required<Pick<Question, 'toAnswer'>> {
  const { metadata, encoding_format, dimensions, user, ...rest } = request;
  refuseOtherCase(rest, [...Object.keys(EmbeddingRequest.entries), ...unsupported, ...ofAnswers]);
  const passed = withoutUnpriced(rest);
  refuseDimensions(model, request);
  refuseTooLong(model, request);
  const body = {
    ...passed,
    encoding_format: 'float',
    ...(dimensions != null && { dimensions }),
    ...(user != null && { user }),
  };
  const expected = { count: inputsOf(request).length, length: dimensions ?? model.dimensions };
  const inForm = encoding_format === 'base64' ? asBase64 : asNumbers;
  return {
    model: calledModel(model),
    dialect: 'embeddings',
    body,
    metadata,
    toAnswer: (answer) => answerOf(answer as Partial<EmbeddingList>, expected, inForm),
    answerBytes: maxAnswerBytes + expected.count * (expected.length ?? maxLength) * numberBytes,
  };
}

/** A number of a vector takes no more in JSON, indented and with the comma behind it. */
const numberBytes = 24;

/** More numbers than the vectors of any model have. */
const maxLength = 8_192;

/** A model as a call knows it: one without output, that reads as much as a request may hold. */
const calledModel = ({ id, upstreams, usdPerMillionTokens, ...model }: EmbeddingModel): Model => ({
  id,
  upstreams,
  contextWindow: maxTokensInAll,
  maxOutputTokens: 1,
  reasoning: false,
  usdPerMillionTokens: { input: usdPerMillionTokens, output: 0 },
  ...(model.batchVia && { batchVia: model.batchVia }),
  ...(model.usdPerMillionTokensInBatches !== undefined && {
    usdPerMillionTokensInBatches: { input: model.usdPerMillionTokensInBatches, output: 0 },
  }),
});

/** Parameters of answers, by which a call would be held, and read, as one. */
const ofAnswers = [
  ...['messages', 'stream', 'stream_options', 'n', 'max_tokens', 'max_completion_tokens'],
  ...['modalities', 'prediction'],
];

/** Refuses what could change a call's price, model, address or readers, and fields of answers. Returns the others. */
function withoutUnpriced<Parameters extends Record<string, unknown>>(
  parameters: Parameters,
): Parameters {
  const refused = [...unsupported, ...ofAnswers];
  const name = refused.find((each) => parameters[each] != null && parameters[each] !== false);
  if (name) throw valueError(['body', name], `${name} is not available for embeddings`);
  const others = Object.entries(parameters).filter(([each]) => !refused.includes(each));
  return Object.fromEntries(others) as Parameters;
}

interface Expected {
  count: number;
  length: number | undefined;
}

/** Puts vectors in the order of their inputs, by the numbers of these. Servers that number none send them so. */
function inOrder(data: EmbeddingList['data']): EmbeddingList['data'] {
  const byIndex = new Map(data.map((each) => [each.index, each]));
  const ordered = data.flatMap((_, index) => byIndex.get(index) ?? []);
  return ordered.length === data.length ? ordered : data;
}

/** An answer with each vector in a form. Throws `ModelError` for one that lacks a vector, or has one of another length. */
function answerOf(
  answer: Partial<EmbeddingList>,
  { count, length }: Expected,
  inForm: (vector: Vector) => Vector,
): object {
  const data = Array.isArray(answer.data) ? answer.data : [];
  const isWhole = data.length === count && data.every((each) => isVector(each?.embedding, length));
  if (!isWhole) throw unavailable('The model answered without the embeddings of each input.');
  const embeddings = inOrder(data).map((each, index) => ({
    ...each,
    object: 'embedding',
    index,
    embedding: inForm(each.embedding),
  }));
  const { prompt_tokens = 0, total_tokens = prompt_tokens } = answer.usage ?? {};
  const usage = { ...answer.usage, prompt_tokens, total_tokens };
  return { ...answer, object: 'list', data: embeddings, usage };
}

/** A vector as a provider sends it: numbers, or little-endian floats of 32 bits in base64. */
type Vector = number[] | string;

/** Whether a provider's value is a vector, of a length if one is given. */
export function isVector(value: unknown, length?: number): value is Vector {
  if (typeof value === 'string') {
    const bytes = Buffer.byteLength(value, 'base64');
    return bytes > 0 && bytes % 4 === 0 && (length === undefined || bytes === 4 * length);
  }
  if (!Array.isArray(value) || value.length === 0) return false;
  return (length === undefined || value.length === length) && value.every(Number.isFinite);
}

/** A vector as numbers. */
export function asNumbers(vector: Vector): number[] {
  if (typeof vector !== 'string') return vector;
  const bytes = littleEndian(Buffer.from(vector, 'base64'));
  return Array.from(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4));
}

/** A vector in base64, as OpenAI's clients ask for it unless they are told otherwise. */
export function asBase64(vector: Vector): string {
  if (typeof vector === 'string') return vector;
  return littleEndian(Buffer.from(Float32Array.from(vector).buffer)).toString('base64');
}

/** Copies floats in the machine's order of bytes. The copy begins where floats may begin. */
function littleEndian(bytes: Buffer): Buffer {
  const copy = Buffer.from(new Uint8Array(bytes).buffer);
  return endianness() === 'LE' ? copy : copy.swap32();
}
