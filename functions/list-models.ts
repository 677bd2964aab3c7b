import {
  listEntries,
  ModelsHeader,
  ModelsQuery,
  modelsError,
  wantsEntries,
} from '../shared/chat/model-entries.ts';
import { listModels } from '../shared/chat/models.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';

/** GET /v1/models, in Anthropic's shape or in OpenAI's */
export const handler = jsonEndpoint(
  { header: ModelsHeader, query: ModelsQuery },
  async ({ header, query }, caller) =>
    json(200, wantsEntries(header) ? listEntries(caller, query) : listModels(caller)),
  modelsError,
);
