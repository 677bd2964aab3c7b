import * as v from 'valibot';
import { valueError } from '../http/errors.ts';
import { knowing } from '../http/misspellings.ts';
import { integerBetween, listOf, ModelName, oneOf, orDefault } from '../http/schema.ts';
import { Metadata } from '../ledger/terms/metadata.ts';
import type { EmbeddingModel } from '../models/catalogue.ts';
import { LeastTokens } from '../models/output-count.ts';

const maxInputs = 2_048;
/** The most tokens of all inputs together, as OpenAI takes them. */
export const maxTokensInAll = 300_000;

const Text = v.pipe(v.string(), v.nonEmpty());
const Tokens = v.pipe(listOf(integerBetween(0, 2 ** 32), maxTokensInAll), v.minLength(1));
const Texts = v.pipe(listOf(Text, maxInputs), v.minLength(1));
const TokenLists = v.pipe(listOf(Tokens, maxInputs), v.minLength(1));

const Input = oneOf([Text, Texts, Tokens, TokenLists], (input) => {
  if (!Array.isArray(input)) return Text;
  if (Array.isArray(input[0])) return TokenLists;
  return typeof input[0] === 'number' ? Tokens : Texts;
});

/** The body of `POST /v1/embeddings`. Other parameters pass through. @see https://platform.openai.com/docs/api-reference/embeddings/create */
export const EmbeddingRequest = knowing(
  v.looseObject({
    model: v.pipe(ModelName, v.minLength(1)),
    input: Input,
    encoding_format: orDefault(v.picklist(['float', 'base64'])),
    dimensions: orDefault(integerBetween(1, 1_000_000)),
    user: orDefault(v.string()),
    metadata: orDefault(Metadata),
  }),
  ['input_type', 'truncate', 'task', 'late_chunking', 'prompt_name'],
);

export type EmbeddingRequest = v.InferOutput<typeof EmbeddingRequest>;

/** The inputs of a request: a text alone is one, and so is a list of tokens. */
export function inputsOf({ input }: EmbeddingRequest): (string | number[])[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as (string | number[])[]);
}

/** Throws `UnprocessableEntityError` for an input, or inputs, that are certainly longer than a model takes. */
export function refuseTooLong(model: EmbeddingModel, request: EmbeddingRequest): void {
  let inAll = 0;
  for (const [index, input] of inputsOf(request).entries()) {
    const tokens = leastTokens(input);
    inAll += tokens;
    if (tokens > model.maxInputTokens) {
      throw valueError(
        ['body', 'input', index],
        `it is longer than the ${model.maxInputTokens} tokens that ${model.id} takes`,
      );
    }
  }
  if (inAll > maxTokensInAll) {
    throw valueError(['body', 'input'], `all inputs may have ${maxTokensInAll} tokens together`);
  }
}

function leastTokens(input: string | number[]): number {
  if (typeof input !== 'string') return input.length;
  const least = new LeastTokens();
  least.add(input);
  return least.count;
}

/** Throws `UnprocessableEntityError` for a length that the model's vectors can't have. */
export function refuseDimensions(model: EmbeddingModel, { dimensions }: EmbeddingRequest): void {
  if (dimensions == null || dimensions === model.dimensions) return;
  if (model.canShorten && dimensions < (model.dimensions ?? Number.POSITIVE_INFINITY)) return;
  const lengths = model.canShorten ? `at most ${model.dimensions}` : `${model.dimensions} alone`;
  throw valueError(['body', 'dimensions'], `the vectors of ${model.id} have ${lengths}`);
}
