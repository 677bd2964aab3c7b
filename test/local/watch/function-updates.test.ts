import { describe, expect, it } from 'vitest';
import { functionsOf } from '../../../lib/local/watch/function-updates.ts';

const sources = {
  'get-health': ['functions/get-health.ts', 'shared/version.ts'],
  'get-job': ['functions/get-job.ts', 'shared/jobs/routes/read.ts', 'shared/config.ts'],
  'run-chat-job': ['functions/run-chat-job.ts', 'shared/config.ts', 'shared/jobs/routes/read.ts'],
};

describe('the functions that changed files are part of', () => {
  it.each([
    [['functions/get-health.ts'], ['get-health']],
    [['shared/config.ts'], ['get-job', 'run-chat-job']],
    [
      ['shared/config.ts', 'shared/jobs/routes/read.ts', 'shared/version.ts'],
      ['get-job', 'run-chat-job', 'get-health'],
    ],
  ])('%j are each named once', (paths, names) => {
    expect(functionsOf(paths, sources, () => true)).toEqual(names);
  });

  it('leave out a function whose file was deleted', () => {
    const isThere = (name: string) => name !== 'get-job';

    expect(functionsOf(['shared/config.ts'], sources, isThere)).toEqual(['run-chat-job']);
    expect(functionsOf(['functions/get-job.ts'], sources, isThere)).toEqual([]);
  });

  it.each([[['shared/new.ts']], [['functions/get-health.ts', 'lib/console/console.tsx']]])(
    '%j are all of them, as one of the files is part of none yet',
    (paths) => {
      expect(functionsOf(paths, sources, () => true)).toBe('all');
    },
  );
});
