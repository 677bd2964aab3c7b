import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { FunctionHost } from '../../lib/local/lambda/function-host.ts';
import type { FunctionConfig } from '../../lib/local/lambda/sandbox.ts';
import { Narrator } from '../../lib/local/narrator.ts';

// A process that runs one function for a parent that measures it.

export interface Task {
  config: FunctionConfig;
  event: unknown;
  times: number;
  /** Whether the answer is read so slowly that much of it waits. */
  slow: boolean;
}

export interface Peak {
  /** Of the last response. */
  status: number;
  /** The memory of the process before the function was loaded, and the most that it had. */
  startMb: number;
  peakMb: number;
}

const [{ config, event, times, slow }] = (await once(process, 'message')) as [Task];
const startMb = process.memoryUsage.rss() / 1e6;
const host = new FunctionHost({ ...config, memoryMb: 256 }, new Narrator(() => {}));
let status = 0;
const sink = {
  head({ statusCode }: { statusCode: number }) {
    status = statusCode;
  },
  async write() {
    if (slow) await pause(2);
  },
};
for (let i = 0; i < times; i++) await host.invoke(event, undefined, sink);
const peakMb = process.resourceUsage().maxRSS / 1e3;
process.send?.({ status, startMb, peakMb } satisfies Peak, () => process.exit());
