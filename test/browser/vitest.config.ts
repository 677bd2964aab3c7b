import { defineConfig } from 'vitest/config';
import project from '../../vitest.config.ts';
import { packagesOfTests } from '../support/run/exhaustive-files.ts';

export default defineConfig({
  test: {
    ...project.test,
    globalSetup: ['test/support/run/setup.ts', 'test/browser/setup.ts'],
    include: ['test/browser/**/*.test.ts'],
    exclude: [packagesOfTests],
    // Looking at each page of both schemes and widths takes a minute beside other work.
    testTimeout: 180_000,
    maxWorkers: 1,
  },
});
