import { type AgentOptions, globalAgent, setGlobalProxyFromEnv } from 'node:http';

/**
 * Has hosts of this machine reached without the proxy that its environment names: by Node's own clients, by those that read
 * the environment, and by the processes and threads that start from here on.
 */
export function reachDirectly(hosts = ['localhost', '127.0.0.1', '::1']): void {
  const { no_proxy, NO_PROXY = no_proxy } = process.env;
  const direct = [...new Set([...(NO_PROXY?.split(/[\s,]+/) ?? []), ...hosts])].join();
  Object.assign(process.env, { NO_PROXY: direct, no_proxy: direct });
  const { options } = globalAgent as { options?: AgentOptions };
  // Node itself goes by them if it was started so, and has read them then.
  if (options?.proxyEnv) setGlobalProxyFromEnv();
}
