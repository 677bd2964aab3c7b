import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { synthesize } from '../../lib/local/template/synthesize.ts';
import type { Target } from './api.ts';
import { startTestStage } from './stage.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A stage in memory with the offline model, for tests that need no fault of their own. */
    stage: Target & { dataDir: string };
    /** The folder of the synthesized assembly. */
    assembly: string;
  }
}

/** Synthesizes once and starts one stage for the whole run. */
export default async function setup({ provide }: TestProject) {
  const outDir = mkdtempSync(join(tmpdir(), 'quire-assembly-'));
  const { assetsDir } = await synthesize(outDir);
  process.env['QUIRE_ASSEMBLY'] = assetsDir;
  const stage = await startTestStage({ memory: true });
  const { base_url, api_key, dataDir } = stage;
  provide('stage', { base_url, api_key, dataDir });
  provide('assembly', assetsDir);
  return async () => {
    await stage.close();
    rmSync(outDir, { recursive: true, force: true });
  };
}
