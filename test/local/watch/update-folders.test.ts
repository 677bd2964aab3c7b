import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FunctionHost } from '../../../lib/local/lambda/function-host.ts';
import { FunctionUpdates } from '../../../lib/local/watch/function-updates.ts';
import { useFolder } from '../../support/run/use-folder.ts';
import { TinyFunctions } from '../lambda/tiny-functions.ts';

const folder = useFolder();
const bundlesDir = join(folder, 'bundles');
/** What the next bundle does; an error stands for one that can't be made. */
let code: string | Error;
vi.mock('../../../lib/local/template/synthesize.ts', () => ({
  bundle: async (outDir: string) => writeBundle(outDir),
}));

function writeBundle(outDir: string): void {
  mkdirSync(join(outDir, 'tiny'), { recursive: true });
  if (code instanceof Error) throw code;
  writeFileSync(join(outDir, 'sources.json'), '{}');
  writeFileSync(join(outDir, 'tiny/index.mjs'), code);
}

let functions: TinyFunctions;
let host: FunctionHost;
let updates: FunctionUpdates;
let deploymentDir: string;

beforeEach(() => {
  code = '';
  writeBundle(bundlesDir);
  deploymentDir = mkdtempSync(join(folder, 'deployment-'));
  functions = new TinyFunctions();
  host = functions.start("await new Promise((done) => setTimeout(done, event)); return 'first';");
  updates = new FunctionUpdates({
    stage: {
      bundlesDir,
      replaceCode: async (dir) => ((await host.replaceCode(join(dir, 'tiny'))) ? ['tiny'] : []),
      codeDirs: () => new Set(host.codeDirs),
    },
    deploymentDir,
    narrator: functions.narrator,
    models: { models: [] },
  });
});
afterEach(() => functions.close());

/** Changes the function's code. */
function update(text: string | Error): Promise<void> {
  code = text;
  // A file that no bundle has yet may be part of any.
  updates.note(['shared/new.ts']);
  return updates.replace();
}

const answering = (text: string) => `export const handler = async (ms) => {
  await new Promise((done) => setTimeout(done, ms));
  return '${text}';
};`;

it('new bundles are kept as long as an invocation runs from them', {
  tags: 'exhaustive',
}, async () => {
  await update(answering('second'));
  const running = host.invoke(1_000);
  await update(answering('third'));
  const whileItRuns = readdirSync(deploymentDir);

  expect([await running, await host.invoke(0)]).toEqual(['second', 'third']);
  await vi.waitFor(() => expect(new Set(host.codeDirs).size).toBe(1));
  await update(answering('fourth'));
  await vi.waitFor(() => expect(new Set(host.codeDirs).size).toBe(1));
  await update(answering('fifth'));

  expect(whileItRuns).toEqual(['update-1', 'update-2']);
  expect(readdirSync(deploymentDir).at(-1)).toBe('update-4');
  expect(readdirSync(deploymentDir).length).toBeLessThanOrEqual(2);
  expect(await host.invoke(0)).toBe('fifth');
});

it.each([
  ['are no different', answering('second'), ''],
  ["can't be made", new Error('const const'), 'const const'],
  ["don't load", "throw new Error('no');", "The bundle of tiny doesn't load."],
])('new bundles are deleted at once if they %s', async (_, text, reason) => {
  await update(answering('second'));

  const failure = await update(text).then(
    () => '',
    ({ message }) => message,
  );

  expect(failure).toBe(reason);
  expect(readdirSync(deploymentDir)).toEqual(['update-1']);
  expect(await host.invoke(0)).toBe('second');
});
