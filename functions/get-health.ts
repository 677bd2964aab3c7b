import { checkHealth, HealthQuery } from '../shared/health/check-health.ts';
import { gatewayErrors } from '../shared/http/gateway-errors.ts';
import { openEndpoint } from '../shared/http/json-endpoint.ts';
import { parseRequest } from '../shared/http/request.ts';
import { secretIn } from '../shared/keys/authorize.ts';
import { callerWithSecret } from '../shared/keys/caller-with-secret.ts';
import { version } from '../shared/version.ts';

/** GET /health */
export const handler = openEndpoint(async (event) => {
  const { query } = parseRequest({ query: HealthQuery }, event);
  if (query.deep === undefined) return { status: 'ok', version };
  const caller = await callerWithSecret(secretIn(event), gatewayErrors.invalidApiKey.body.detail);
  return checkHealth(caller);
});
