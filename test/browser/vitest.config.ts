import { defineConfig } from 'vitest/config';
import project from '../../vitest.config.ts';

export default defineConfig({
  test: {
    ...project.test,
    globalSetup: ['test/support/run/setup.ts', 'test/browser/setup.ts'],
    include: ['test/browser/**/*.test.ts'],
    exclude: [],
    testTimeout: 60_000,
    maxWorkers: 1,
  },
});
