import { describeModel, ModelPath } from '../shared/chat/models.ts';
import { completionError } from '../shared/http/error-response.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';

/** GET /v1/models/{model} */
export const handler = jsonEndpoint(
  { path: ModelPath },
  async ({ path }, caller) => json(200, describeModel(caller, path.model)),
  completionError,
);
