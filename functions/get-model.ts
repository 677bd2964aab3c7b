import {
  describeEntry,
  ModelsHeader,
  modelsError,
  wantsEntries,
} from '../shared/chat/model-entries.ts';
import { describeModel, ModelPath } from '../shared/chat/models.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** GET /v1/models/{model}, in Anthropic's shape or in OpenAI's */
export const handler = jsonEndpoint(
  { path: ModelPath, header: ModelsHeader },
  ({ path: { model }, header }, caller) =>
    (wantsEntries(header) ? describeEntry : describeModel)(caller, model),
  modelsError,
);
