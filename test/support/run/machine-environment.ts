import { reachDirectly } from '../../../lib/local/engines/no-proxy.ts';

/**
 * What tests take of the machine's environment: where programs, the home and temporary files are, its language and time
 * zone, its terminal, whom it trusts, and what was set for the run itself.
 */
const taken = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR)$/,
  /^(LANG|LANGUAGE|LC_.*|TZ)$/,
  /^(TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI)$/,
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/,
  /^(NODE_ENV|NODE_COMPILE_CACHE|NODE_V8_COVERAGE|TEST|VITEST.*)$/,
  /^(QUIRE_(TEST|OUTAGE|USED)_.*|OPENAPI_RUNS|CODEX_BIN|AWS_ENDPOINT_URL_DYNAMODB)$/,
];

/**
 * Leaves out all else that this process was started with, for itself and for what it starts. A profile of AWS, a proxy or a
 * provider's key would decide what tests meet.
 */
export function leaveMachineSettings(): void {
  // Node may go by a proxy that it has read of already.
  reachDirectly();
  for (const name of Object.keys(process.env)) {
    if (!taken.some((kind) => kind.test(name))) delete process.env[name];
  }
}
