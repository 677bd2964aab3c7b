import { EmbeddingRequest } from '../embeddings/embedding-request.ts';
import { Embedding, EmbeddingList, EmbeddingUsage } from '../embeddings/embeddings.ts';
import { catalogue } from '../models/catalogue.ts';
import { completionErrorAnswer, modelErrors } from './error-answers.ts';
import { content, described, json, operation } from './operation.ts';

export const components = described({ EmbeddingRequest, EmbeddingList, Embedding, EmbeddingUsage });

const model = catalogue.embeddingModels[0]?.id ?? 'text-embedding-3-small';
const vector = [-0.0069, 0.0123, 0.0077];

export const operations = [
  operation('post /v1/embeddings', 'createEmbeddings', 'Embeddings', {
    summary: 'Make embeddings',
    description: 'The vectors of texts, in the order in which they were sent.',
    body: content(EmbeddingRequest, {
      'A text': { model, input: 'The ferry leaves at nine.' },
      'Several texts, in base64': {
        model,
        input: ['The ferry leaves at nine.', 'The bridge is closed.'],
        encoding_format: 'base64',
      },
    }),
    answers: {
      200: json(
        'The vectors.',
        EmbeddingList,
        {
          'A vector': {
            object: 'list',
            data: [{ object: 'embedding', index: 0, embedding: vector }],
            model,
            usage: { prompt_tokens: 6, total_tokens: 6 },
          },
        },
        ['x-request-id', 'x-quire-budget-remaining-usd'],
      ),
      400: completionErrorAnswer(
        'Something is wrong with the request.',
        'input.0: it is longer than the 8192 tokens that text-embedding-3-small takes',
        { param: 'input.0' },
      ),
      404: completionErrorAnswer(
        'There is no such model, or it makes no embeddings.',
        'The model no-such-model does not exist. GET /v1/models lists those that do.',
        { param: 'model', code: 'model_not_found' },
      ),
      ...modelErrors.completions,
    },
  }),
];
