import { type AgentOptions, globalAgent, setGlobalProxyFromEnv } from 'node:http';

/** Has this machine's hosts reached without the environment's proxy, by this process and all that it starts. */
export function reachDirectly(hosts = ['localhost', '127.0.0.1', '::1']): void {
  const { no_proxy, NO_PROXY = no_proxy } = process.env;
  const direct = [...new Set([...(NO_PROXY?.split(/[\s,]+/) ?? []), ...hosts])].join();
  Object.assign(process.env, { NO_PROXY: direct, no_proxy: direct });
  const { options } = globalAgent as { options?: AgentOptions };
  // Node itself goes by them if it was started so, and has read them then.
  if (options?.proxyEnv) setGlobalProxyFromEnv();
}
