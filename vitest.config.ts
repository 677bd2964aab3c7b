import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { isExhaustive } from './test/support/run/cases.ts';
import {
  exhaustiveFiles,
  exhaustiveOnly,
  packagesOfTests,
} from './test/support/run/exhaustive-files.ts';

export default defineConfig({
  test: {
    globalSetup: 'test/support/run/setup.ts',
    setupFiles: 'test/support/run/each-file.ts',
    include: isExhaustive ? exhaustiveFiles() : ['test/**/*.test.ts'],
    // They have a configuration of their own, with a browser.
    exclude: ['test/browser/**', packagesOfTests, ...(isExhaustive ? [] : [exhaustiveOnly])],
    tags: [{ name: 'exhaustive', description: 'takes seconds by its nature', skip: !isExhaustive }],
    // The engines share the machine with everything else.
    env: { AWS_TIMEOUT_FACTOR: '10' },
    // All orders and deaths take minutes on a machine that does something else.
    testTimeout: isExhaustive ? 300_000 : 120_000,
    hookTimeout: 120_000,
    // The engines and stages take as much as the workers. On two cores a third works while others wait: for pages that take
    // long, providers that are dead, processes that start. What is tried with all cases is long and large: two do that. More
    // than four were not tried.
    maxWorkers: Math.max(isExhaustive ? 2 : 3, Math.min(4, Math.floor(availableParallelism() / 2))),
    // A worker keeps the modules of `node_modules` from file to file; `each-file.ts` resets all else.
    isolate: false,
    restoreMocks: true,
    disableConsoleIntercept: true,
    // These are loaded by Node, once in a worker. What reads documents keeps processes, and a libvips that never gives back
    // its threads. `attached/` keeps a client, which must be led to the servers of each file: it begins anew.
    server: {
      deps: {
        // Its ids never go back in time, so a file that moves the clock on would have those of the next lie ahead of theirs.
        inline: [/\/node_modules\/uuid\//],
        external: [
          /\/shared\/documents\/(?!attached\/)/,
          /\/shared\/http\/errors\.ts$/,
          /\/support\/run\/output\.ts$/,
        ],
      },
    },
  },
});
