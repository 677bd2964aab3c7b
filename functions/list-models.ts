import { listModels } from '../shared/chat/models.ts';
import { completionError } from '../shared/http/error-response.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';

/** GET /v1/models */
export const handler = jsonEndpoint(
  {},
  async (_request, caller) => json(200, listModels(caller)),
  completionError,
);
