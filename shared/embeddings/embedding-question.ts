import { refuseOtherCase } from '../chat/other-case.ts';
import type { Question } from '../chat/respond.ts';
import { unsupported } from '../chat/unsupported-parameters.ts';
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
import { asBase64, asNumbers, isVector, type Vector } from './vector.ts';

/**
 * Returns what an upstream is asked for embeddings: numbers, which each one knows. The caller gets the form that was
 * asked for. Throws `UnprocessableEntityError` for what the model doesn't take.
 */
export function embeddingQuestion(
  model: EmbeddingModel,
  request: EmbeddingRequest,
): Question & Required<Pick<Question, 'toAnswer'>> {
  const { metadata, encoding_format, dimensions, user, ...rest } = request;
  refuseOtherCase(rest, Object.keys(EmbeddingRequest.entries));
  refuseUnpriced(rest);
  refuseDimensions(model, request);
  refuseTooLong(model, request);
  const body = {
    ...rest,
    encoding_format: 'float',
    ...(dimensions != null && { dimensions }),
    ...(user != null && { user }),
  };
  const expected = { count: inputsOf(request).length, length: dimensions ?? model.dimensions };
  const inForm = encoding_format === 'base64' ? asBase64 : asNumbers;
  return {
    ...{ model: calledModel(model), dialect: 'embeddings', body, metadata },
    toAnswer: (text) => answerOf(JSON.parse(text), expected, inForm),
  };
}

/** A model as a call knows it: one without output, that reads as much as a request may hold. */
const calledModel = ({ id, upstreams, usdPerMillionTokens }: EmbeddingModel): Model => ({
  ...{ id, upstreams, contextWindow: maxTokensInAll, maxOutputTokens: 1, reasoning: false },
  usdPerMillionTokens: { input: usdPerMillionTokens, output: 0 },
});

/** Refuses what could change a call's price, model, address or readers, as chat completions do. */
function refuseUnpriced(parameters: Record<string, unknown>): void {
  const name = unsupported.find((each) => parameters[each] != null && parameters[each] !== false);
  if (name) throw valueError(['body', name], `${name} is not available for embeddings`);
}

interface Expected {
  count: number;
  length: number;
}

/** An answer with each vector in a form. Throws `ModelError` for one that lacks a vector, or has one of another length. */
function answerOf(
  answer: Partial<EmbeddingList>,
  { count, length }: Expected,
  inForm: (vector: Vector) => Vector,
): string {
  const data = Array.isArray(answer.data) ? answer.data : [];
  const isWhole = data.length === count && data.every((each) => isVector(each?.embedding, length));
  if (!isWhole) throw unavailable('The model answered without the embeddings of each input.');
  const embeddings = data.map((each, index) => ({
    ...each,
    ...{ object: 'embedding', index, embedding: inForm(each.embedding) },
  }));
  const { prompt_tokens = 0, total_tokens = prompt_tokens } = answer.usage ?? {};
  const usage = { ...answer.usage, prompt_tokens, total_tokens };
  return JSON.stringify({ ...answer, object: 'list', data: embeddings, usage });
}
