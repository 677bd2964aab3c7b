import * as v from 'valibot';
import type { Caller } from '../http/caller.ts';
import { completionError, type ErrorFormat } from '../http/error-response.ts';
import { messagesError } from '../http/messages-error.ts';
import { headersOf } from '../http/request.ts';
import { integerText } from '../http/schema.ts';
import { describeModel, listModels } from './models.ts';

/** What tells Anthropic's clients from OpenAI's. */
export const ModelsHeader = v.object({
  'anthropic-version': v.optional(v.string()),
  'x-api-key': v.optional(v.string()),
});

type ModelsHeader = v.InferOutput<typeof ModelsHeader>;

/** Whether models are told as Anthropic does. */
export const wantsEntries = (headers: ModelsHeader): boolean =>
  headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined;

/** The page of a list that is asked for. */
export const ModelsQuery = v.object({
  limit: v.optional(integerText(1, 1_000), '20'),
  after_id: v.optional(v.string()),
  before_id: v.optional(v.string()),
});

type ModelsQuery = v.InferOutput<typeof ModelsQuery>;

export const AnthropicModel = v.object({
  type: v.literal('model'),
  id: v.string(),
  display_name: v.string(),
  created_at: v.string(),
});

/** The response of `GET /v1/models` in Anthropic's shape. @see https://platform.claude.com/docs/en/api/models-list */
export const AnthropicModelList = v.object({
  data: v.array(AnthropicModel),
  has_more: v.boolean(),
  first_id: v.nullable(v.string()),
  last_id: v.nullable(v.string()),
});

/** Lists a page of the models that the caller's key may use. */
export function listEntries(
  caller: Caller,
  { limit, after_id, before_id }: ModelsQuery,
): v.InferOutput<typeof AnthropicModelList> {
  const ids = listModels(caller).data.map(({ id }) => id);
  const isBackward = before_id !== undefined;
  const end = isBackward ? Math.max(0, ids.indexOf(before_id)) : ids.length;
  const start = after_id === undefined ? 0 : ids.indexOf(after_id) + 1;
  const rest = ids.slice(start, end);
  const page = isBackward ? rest.slice(-limit) : rest.slice(0, limit);
  return {
    data: page.map(entryOf),
    has_more: page.length < rest.length,
    first_id: page[0] ?? null,
    last_id: page.at(-1) ?? null,
  };
}

/** Describes one model. Throws as `describeModel` does. */
export const describeEntry = (caller: Caller, id: string): v.InferOutput<typeof AnthropicModel> =>
  entryOf(describeModel(caller, id).id);

/** When a model was made is not known. */
const entryOf = (id: string) => ({
  type: 'model' as const,
  id,
  display_name: id,
  created_at: '1970-01-01T00:00:00Z',
});

/** An error in the shape in which models would be told. */
export const modelsError: ErrorFormat = (error, requestId, request) => {
  const format = wantsEntries(headersOf(request ?? {})) ? messagesError : completionError;
  return format(error, requestId);
};
