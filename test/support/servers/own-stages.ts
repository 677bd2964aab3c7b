import { rmSync } from 'node:fs';
import { afterAll } from 'vitest';
import { untilGone } from './processes.ts';
import { newDataDir, startTestStage, type TestStage, type TestStageOptions } from './stage.ts';

/**
 * Gives a test file stages of its own, for what would disturb others on a shared one. After its last test they are
 * killed, and their data is removed once their engines have ended too.
 */
export function useOwnStages() {
  const dataDirs: string[] = [];
  const stages: TestStage[] = [];
  const newFolder = () => {
    const dataDir = newDataDir();
    dataDirs.push(dataDir);
    return dataDir;
  };

  afterAll(async () => {
    await Promise.all(stages.map((stage) => stage.kill('SIGKILL')));
    for (const dataDir of dataDirs) {
      await untilGone(dataDir);
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    }
  });

  return {
    newDataDir: newFolder,

    /** Starts a stage, with its data in a new folder by default. */
    async start(options: TestStageOptions = {}): Promise<TestStage> {
      const stage = await startTestStage({ dataDir: newFolder(), ...options });
      stages.push(stage);
      return stage;
    },
  };
}

/** Gives a test file one stage of its own. */
export const useOwnStage = (options: TestStageOptions = {}) => useOwnStages().start(options);
