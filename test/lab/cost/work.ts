import { lambdaUse, sum, type Use } from './bill.ts';
import { logBytes } from './prices.ts';

/** What one function did, as it was counted. */
export interface FunctionWork {
  memoryMb: number;
  invocations: number;
  durationMs: number;
  cpuMs: number;
  writeUnits: number;
  readUnits: number;
  /** Its calls to other services than DynamoDB, such as `sqs SendMessageBatch`. */
  calls: Record<string, number>;
  /** What it wrote to its log. */
  logBytes: number;
}

/** What each function did for one piece of work, by name. */
export type Work = Record<string, FunctionWork>;

/** The functions that a queue feeds. */
const queueFed = ['run-chat-job', 'run-ocr-job', 'expand-folder'];

/** What a piece of work uses of AWS's services, without the gateway. */
export function useOf(work: Work): Use {
  return sum(...Object.entries(work).map(([name, each]) => functionUse(name, each)));
}

function functionUse(name: string, work: FunctionWork): Use {
  const called = (pattern: RegExp) =>
    Object.entries(work.calls).reduce(
      (all, [call, count]) => all + (pattern.test(call) ? count : 0),
      0,
    );
  // A batch of messages is received once and deleted once.
  const polled = queueFed.includes(name) ? 2 * work.invocations : 0;
  return {
    ...lambdaUse(work),
    writeUnit: work.writeUnits,
    readUnit: work.readUnits,
    queueRequest: called(/^sqs /) + polled,
    objectPut: called(/^s3 (PUT|POST)/),
    objectGet: called(/^s3 (GET|HEAD)/),
    logGb: (work.logBytes + work.invocations * logBytes.invocation) / 1e9,
  };
}

/** The work of `after` without that of `before`, of the functions that did anything, for one of `count` pieces. */
export function workBetween(before: Work, after: Work, count: number): Work {
  const done = Object.entries(after).flatMap(([name, now]) => {
    const then = before[name];
    if (!then) return [];
    const per = (amount: (work: FunctionWork) => number) =>
      rounded((amount(now) - amount(then)) / count);
    const calls = Object.entries(now.calls).flatMap(([call, made]) => {
      const more = rounded((made - (then.calls[call] ?? 0)) / count);
      return more > 0 ? [[call, more] as const] : [];
    });
    const work: FunctionWork = {
      memoryMb: now.memoryMb,
      invocations: per(({ invocations }) => invocations),
      durationMs: per(({ durationMs }) => durationMs),
      cpuMs: per(({ cpuMs }) => cpuMs),
      writeUnits: per(({ writeUnits }) => writeUnits),
      readUnits: per(({ readUnits }) => readUnits),
      calls: Object.fromEntries(calls),
      logBytes: Math.round((now.logBytes - then.logBytes) / count),
    };
    const isIdle = work.invocations === 0 && work.writeUnits === 0 && work.readUnits === 0;
    return isIdle ? [] : [[name, work] as const];
  });
  return Object.fromEntries(done);
}

const rounded = (amount: number) => Math.round(amount * 100) / 100;
