import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startDynamoDb } from '../../../lib/local/dynamodb/dynoxide.ts';
import type { FunctionHost } from '../../../lib/local/lambda/function-host.ts';
import { Narrator } from '../../../lib/local/narrator.ts';
import type { Stage } from '../../../lib/local/stage/stage.ts';
import { startStage } from '../../../lib/local/stage/start-stage.ts';
import { instrumented } from '../../support/instrument/instrumented.ts';
import { startStoreProxy, type Units } from './store-proxy.ts';
import type { FunctionWork, Work } from './work.ts';

/** A stage in memory that counts what its functions do. */
export interface CountingStage extends Stage {
  /** A file of faults that calls of functions meet, as a test's instrument reads it. */
  faultsFile: string;
  /** What each function has done so far, by name, once all is still: nothing has begun for a second. */
  whenStill(): Promise<Work>;
  /** The metrics that have had figures, each by its name and dimensions. */
  metrics: ReadonlySet<string>;
}

/** Functions that a schedule starts; they are no part of a caller's work. */
const scheduled = ['sweep', 'reset-ocr-windows'];

/** Notes what functions write to their logs. */
class LogCounter extends Narrator {
  override readonly wantsMetrics = true;
  readonly bytes = new Map<string, number>();
  readonly metrics = new Set<string>();

  override functionLine(name: string, text: string): void {
    this.bytes.set(name, (this.bytes.get(name) ?? 0) + Buffer.byteLength(text) + 1);
    if (text.includes('"_aws"')) for (const metric of metricsIn(text)) this.metrics.add(metric);
    super.functionLine(name, text);
  }
}

/**
 * Starts a stage in memory behind a proxy that counts what its store is asked, with models at `modelUrl`. It changes
 * this process's environment, so a process has one at most.
 */
export async function startCountingStage(modelUrl: string): Promise<CountingStage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quire-cost-'));
  const callLog = join(dataDir, 'calls.txt');
  const cpuLog = join(dataDir, 'cpu.txt');
  const faultsFile = join(dataDir, 'faults.json');
  const units = new Map<string, Units>();
  const die = (reason: string) => {
    throw new Error(reason);
  };
  const engine = await startDynamoDb(undefined, die);
  const proxy = await startStoreProxy({
    url: engine.url,
    onUnits: ({ accessKeyId }, { write, read }) => {
      const sum = units.get(accessKeyId) ?? { write: 0, read: 0 };
      units.set(accessKeyId, { write: sum.write + write, read: sum.read + read });
    },
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
    // A function of AWS has one call at a time, which holds for itself.
    LEASES: 'off',
    OPENAI_BASE_URL: modelUrl,
    OPENAI_API_KEY: 'cost',
    ...instrumented({ log: callLog, cpu: cpuLog, faults: faultsFile }),
  });
  const problems: string[] = [];
  const narrator = new LogCounter((line) => problems.push(line));
  const models = { models: [] };
  const stage = await startStage({
    port: 0,
    dataDir,
    memory: true,
    models,
    narrator,
    onDeath: die,
  });

  const timed = stage.functions.all.map((host) => ({ host, time: timeInvocations(host) }));

  function count(): Work {
    const calls = callsIn(callLog);
    const cpu = cpuIn(cpuLog);
    const works = timed.map(({ host, time }): [string, FunctionWork] => {
      const { name, memoryMb, permissions } = host.config;
      const { write, read } = units.get(permissions.accessKeyId) ?? { write: 0, read: 0 };
      const written = { writeUnits: write, readUnits: read };
      const logBytes = narrator.bytes.get(name) ?? 0;
      return [
        name,
        {
          ...{ memoryMb, ...time, cpuMs: cpu.get(name) ?? 0 },
          ...{ ...written, calls: calls.get(name) ?? {}, logBytes },
        },
      ];
    });
    return Object.fromEntries(works);
  }

  return {
    ...stage,
    faultsFile,
    metrics: narrator.metrics,
    async whenStill() {
      for (let last = ''; ; await pause(1_000)) {
        const work = count();
        const now = JSON.stringify(
          Object.entries(work).map(([name, { invocations, writeUnits }]) =>
            scheduled.includes(name) ? 0 : [invocations, writeUnits],
          ),
        );
        if (now === last) return work;
        last = now;
      }
    },
    async close() {
      await stage.close();
      proxy.close();
      await engine.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Counts a function's invocations from now on, and the time that they take together: one that starts a sandbox loads it. */
function timeInvocations(host: FunctionHost) {
  const time = { invocations: 0, durationMs: 0 };
  const invoke = host.invoke.bind(host);
  host.invoke = async (...invocation) => {
    const startedAt = performance.now();
    time.invocations += 1;
    try {
      return await invoke(...invocation);
    } finally {
      time.durationMs += performance.now() - startedAt;
    }
  };
  return time;
}

/** Returns the CPU time of each function, by what was said last of each of its processes. */
function cpuIn(file: string): Map<string, number> {
  const last = new Map<string, number>();
  if (existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const at = line.lastIndexOf(' ');
      last.set(line.slice(0, at), Number(line.slice(at)));
    }
  }
  const sums = new Map<string, number>();
  for (const [key, ms] of last) {
    const [name = ''] = key.split(' ');
    sums.set(name, (sums.get(name) ?? 0) + ms);
  }
  return sums;
}

/** Returns how often each function has called each operation of a service other than DynamoDB. */
function callsIn(file: string): Map<string, Record<string, number>> {
  const counts = new Map<string, Record<string, number>>();
  if (!existsSync(file)) return counts;
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [, name = '', call = ''] = line.match(/^(\S+) (.+)$/) ?? [];
    if (call.startsWith('dynamodb ')) continue;
    const calls = counts.get(name) ?? {};
    calls[call] = (calls[call] ?? 0) + 1;
    counts.set(name, calls);
  }
  return counts;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html */
interface EmbeddedMetrics {
  _aws?: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] };
  [dimension: string]: unknown;
}

function metricsIn(line: string): string[] {
  const entry = JSON.parse(line) as EmbeddedMetrics;
  return (entry._aws?.CloudWatchMetrics ?? []).flatMap(({ Dimensions, Metrics }) =>
    Dimensions.flatMap((names) =>
      Metrics.map(({ Name }) => [Name, ...names.map((name) => `${name}=${entry[name]}`)].join(' ')),
    ),
  );
}
