import * as v from 'valibot';
import { CompletionRequest, completionQuestion } from '../../../chat/completion-request.ts';
import { askedOfAll, type Named, routeOf } from '../../../chat/fallbacks.ts';
import type { Question } from '../../../chat/respond.ts';
import { responseBody } from '../../../chat/response-body.ts';
import { ResponseRequest } from '../../../chat/response-request.ts';
import { embeddingQuestion } from '../../../embeddings/embedding-question.ts';
import { EmbeddingRequest, inputsOf } from '../../../embeddings/embedding-request.ts';
import { ServiceError } from '../../../http/errors.ts';
import { faultIn } from '../../../http/field-errors.ts';
import {
  type AllowedModels,
  usableEmbeddingModel,
  usableModel,
} from '../../../keys/usable-models.ts';
import type { LineEndpoint } from './file-line.ts';

/** What a line asks of a model. */
export interface LineQuestion extends Question {
  /** How many inputs it has, where a file's inputs are limited. */
  inputs?: number;
}

/** Reads the body of a line, which is never streamed. Throws `ServiceError` for one that can't be asked. */
type ReadBody = (body: object, allowed: AllowedModels) => LineQuestion;

/** How the body of a line is read, by the route that it names as its `url`. */
export const lineEndpoints: Record<LineEndpoint, ReadBody> = {
  '/v1/chat/completions': (body, allowed) => {
    const request = checked(CompletionRequest, body);
    const asked = askedOfAll(route(request, allowed), (model) =>
      completionQuestion(model, request),
    );
    return { ...asked, metadata: request.metadata };
  },
  '/v1/responses': (body, allowed) => {
    const request = checked(ResponseRequest, body);
    const asked = askedOfAll(route(request, allowed), (model) => ({
      model,
      dialect: 'responses' as const,
      body: responseBody(model, request),
    }));
    return { ...asked, metadata: request.metadata };
  },
  '/v1/embeddings': (body, allowed) => {
    const request = checked(EmbeddingRequest, body);
    const model = usableEmbeddingModel(allowed, request.model) ?? noModel(request.model);
    return { ...embeddingQuestion(model, request), inputs: inputsOf(request).length };
  },
};

const route = (named: Named, allowed: AllowedModels) =>
  routeOf(named, allowed, (id) => usableModel(allowed, id) ?? noModel(id));

function checked<Schema extends v.GenericSchema>(
  schema: Schema,
  body: object,
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, body, { abortEarly: true });
  if (read.success) return read.output;
  const [issue] = read.issues;
  const path = ['body', ...(issue.path ?? []).map(({ key }) => String(key))];
  throw new ServiceError(400, 'invalid_request_error', faultIn(issue, 'body'), {
    param: path.join('.'),
  });
}

function noModel(id: string): never {
  throw new ServiceError(404, 'model_not_found', `The model ${id} does not exist.`, {
    param: 'body.model',
  });
}
