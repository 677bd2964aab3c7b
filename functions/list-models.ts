import {
  listEntries,
  ModelsHeader,
  ModelsQuery,
  modelsError,
  wantsEntries,
} from '../shared/chat/model-entries.ts';
import { listModels } from '../shared/chat/models.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** GET /v1/models, in Anthropic's shape or in OpenAI's */
export const handler = jsonEndpoint(
  { header: ModelsHeader, query: ModelsQuery },
  ({ header, query }, caller) =>
    wantsEntries(header) ? listEntries(caller, query) : listModels(caller),
  modelsError,
);
