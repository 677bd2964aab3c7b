import { setTimeout } from 'node:timers/promises';
import { beforeEach, vi } from 'vitest';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Stops the clock before each test, at `now` if it is given; timers run on. `pass` moves it. */
export function useStoppedClock(now?: string): void {
  beforeEach(() => stopClock(now));
}

/** Stops the clock until the test ends, at `now` if it is given; timers run on. */
export function stopClock(now?: string): void {
  vi.useFakeTimers({ toFake: ['Date'], ...(now && { now: Date.parse(now) }) });
}

/** Lets signals of a time limit abort a hundred times as soon, until the test ends. */
export function hurrySignals(): void {
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 100));
}

/** Waits for the next clock hour if this one has less than so much left, for a stage whose clock nobody can stop. */
export async function untilHourHas(ms: number): Promise<void> {
  const left = hourMs - (Date.now() % hourMs);
  if (left < ms) await setTimeout(left);
}

let latest = 0;

/** Begins each test in a clock hour that has just begun, later than all tests before, and stops the clock. */
export function useFreshHour(): void {
  beforeEach(beginHour);
}

/** Stops the clock in an hour that has just begun, so that what follows stays within it. */
export function beginHour(): void {
  stopClock();
  pass(Math.ceil(Math.max(Date.now(), latest) / hourMs) * hourMs + 1_000 - Date.now());
}

/** Moves the stopped clock on. */
export function pass(ms: number): void {
  latest = Date.now() + ms;
  vi.setSystemTime(latest);
}
