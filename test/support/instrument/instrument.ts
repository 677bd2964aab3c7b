import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import type { Instrument } from '../../../lib/local/permissions/guard.ts';
import { findGrant } from '../../../lib/local/permissions/policies.ts';
import { callFaults } from './call-faults.ts';
import { clockSetter } from './wrong-clock.ts';

/** Watches a function's calls, and has them fail, by the files that the environment names. */
export function instrument(name: string): Instrument {
  const { QUIRE_CALL_LOG: log, QUIRE_USED_GRANTS: grants, QUIRE_USED_CPU: cpu } = process.env;
  const noted = new Set<string>();
  const faults = callFaults(name);
  return {
    begins: clockSetter(name),
    ends() {
      if (cpu) appendFileSync(cpu, `${name} ${process.pid} ${cpuMs()}\n`);
    },
    called({ service, operation, method }) {
      if (log) appendFileSync(log, `${name} ${service} ${operation || method}\n`);
    },
    granted(action, resource, grant) {
      const line = `${name} ${action} ${grant}\n`;
      if (grants && !noted.has(line)) appendFileSync(grants, line);
      noted.add(line);
      const fault = findGrant(faults(), action, resource);
      if (fault?.outOfMemory) takeMemory();
      const { code, statusCode, delayMs } = fault ?? {};
      const message = 'A fault that a test asked for.';
      return {
        delayMs,
        refusal: code ? { code, message, ...(statusCode && { statusCode }) } : undefined,
      };
    },
  };
}

/** The CPU time that a function's thread or process has taken so far. */
function cpuMs(): number {
  const { user, system } = isMainThread ? process.cpuUsage() : process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Holds ever more, until the function is ended as one that is out of memory. */
function takeMemory(): void {
  for (const held: number[][] = []; ; ) held.push(new Array(1e6).fill(held.length + 0.5));
}
