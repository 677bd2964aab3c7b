import fc from 'fast-check';
import { afterEach, beforeEach, vi } from 'vitest';
import { cases, isExhaustive } from './cases.ts';
import { beginOutput, endOutput, printOutput } from './output.ts';

// A worker runs one file after another. Each begins as if it were alone: with the environment that the worker began
// with, and with the project's modules loaded anew. Those of `node_modules` stay, as they take most of the time, and those
// that `vitest.config.ts` leaves to Node.

declare global {
  var workerEnvironment: NodeJS.ProcessEnv | undefined;
}

globalThis.workerEnvironment ??= { ...process.env };
for (const name of Object.keys(process.env)) delete process.env[name];
Object.assign(process.env, globalThis.workerEnvironment);
vi.resetModules();

// A run that fails does so again; `QUIRE_TEST_SEED` has another one try other cases. Whoever says no number of runs means
// 100, which is fast-check's own.
const seed = Number(process.env['QUIRE_TEST_SEED'] ?? 1);
fc.configureGlobal({ seed, ...(!isExhaustive && { numRuns: 25 }) });

// A sweep asks each lane, which would be most of what the histories of the ledger ask the store.
vi.mock('../../../shared/ledger/account/lane-count.ts', () => ({ laneCount: cases(4, 32) }));

beforeEach(({ onTestFailed }) => {
  beginOutput();
  onTestFailed(printOutput);
});

afterEach(() => {
  endOutput();
  vi.useRealTimers();
  // Before a test, as Vitest could, would be too late: the last test of a file would give the next one its environment.
  vi.unstubAllEnvs();
});
