import { setTimeout as pause } from 'node:timers/promises';
import { FunctionHost } from '../../lib/local/lambda/function-host.ts';
import type { FunctionConfig } from '../../lib/local/lambda/start-runtime.ts';
import { Narrator } from '../../lib/local/narrator.ts';

// A process that runs one function for a parent that measures it.

export interface Task {
  /** Names the task in its answer. */
  id: number;
  config: FunctionConfig;
  event: unknown;
  times: number;
  /** Whether the answer is read so slowly that much of it waits. */
  slow: boolean;
}

export interface Peak {
  id: number;
  /** Of the last response. */
  status: number;
  /** What the last invocation returned. */
  result: unknown;
  /** The memory of the process before the function was loaded, and the most that it had. */
  startMb: number;
  peakMb: number;
}

const startMb = process.memoryUsage.rss() / 1e6;
let host: FunctionHost | undefined;

process.on('message', async ({ id, config, event, times, slow }: Task) => {
  host ??= new FunctionHost(config, new Narrator(() => {}));
  let status = 0;
  let result: unknown;
  const sink = {
    head({ statusCode }: { statusCode: number }) {
      status = statusCode;
    },
    async write() {
      if (slow) await pause(2);
    },
  };
  for (let i = 0; i < times; i++) result = await host.invoke(event, undefined, { sink });
  const peakMb = process.resourceUsage().maxRSS / 1e3;
  process.send?.({ id, status, result, startMb, peakMb } satisfies Peak);
});
process.on('disconnect', () => process.exit());
