import {
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { readStageFile } from '../../../lib/local/stage-file.ts';
import { useFolder } from '../../support/run/use-folder.ts';
import { call, chatJob, submit, until } from '../../support/servers/api.ts';
import { useOwnStages } from '../../support/servers/own-stages.ts';
import type { TestStage } from '../../support/servers/stage.ts';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
/** A copy of the sources, so that no test changes a file of the checkout. */
const sourceRoot = useFolder();
const getHealth = join(sourceRoot, 'functions/get-health.ts');
const original = readFileSync(join(checkout, 'functions/get-health.ts'), 'utf8');

/** A runner of chat jobs that needs no model. */
const answeringWorker = `
  import { jobWorker } from '../shared/jobs/work/worker.ts';
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const answer = { type: 'chat', content: 'stay', finish_reason: 'stop', usage, cost_usd: 0 };
  export const handler = jobWorker(async () => answer);
`;

for (const name of [
  'bin',
  'functions',
  'lib',
  'shared',
  'cdk.json',
  'package.json',
  'tsconfig.json',
]) {
  cpSync(join(checkout, name), join(sourceRoot, name), { recursive: true });
}
symlinkSync(join(checkout, 'node_modules'), join(sourceRoot, 'node_modules'));
replaceFunctions();
const stages = useOwnStages();
const stage = await stages.start({
  sourceRoot,
  args: ['--watch'],
  env: { QUIRE_ASSEMBLY: '', CDK_VALIDATION: 'false' },
});

/** Makes the functions that no test needs do nothing, so that bundling all takes one second and not five. */
function replaceFunctions(): void {
  const needed = /^(get-health|authorize-request|submit-job|dispatch-jobs|get-job)\.ts$/;
  for (const file of readdirSync(join(sourceRoot, 'functions'))) {
    const path = join(sourceRoot, 'functions', file);
    if (file === 'run-chat-job.ts') writeFileSync(path, answeringWorker);
    else if (!needed.test(file)) writeFileSync(path, 'export const handler = async () => ({});');
  }
}

const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 100 });

const health = async () => (await call<{ status: string }>(stage, 'GET', '/health')).body.status;

const startsOf = ({ lines }: TestStage) => lines.filter((line) => line.startsWith('Ctrl-C')).length;

const synthesesOf = ({ lines }: TestStage) =>
  lines.filter((line) => line.includes('synthesizing the stack')).length;

/** Saves a file as many editors do: a new one is renamed to its name. */
function save(file: string, text: string): void {
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}

const withStatus = (status: string) => original.replace("status: 'ok'", `status: '${status}'`);

it('runs a changed function without a restart, each time it changes', async () => {
  const before = await health();
  save(getHealth, withStatus('fine'));
  await waitFor(async () => expect(await health()).toBe('fine'));
  save(getHealth, withStatus('better'));
  await waitFor(async () => expect(await health()).toBe('better'));

  expect(before).toBe('ok');
  expect(stage.lines.filter((line) => / code get-health again, \d+ ms$/.test(line))).toHaveLength(
    2,
  );
  expect(startsOf(stage)).toBe(1);
});

it.each([
  ['that can not be bundled', 'const const;', 'ERROR: Expected identifier but found "const"'],
  ['that does not load', "throw new Error('no');", "The bundle of get-health doesn't load."],
])(
  'goes on with the old code after a change %s, until it is mended',
  async (change, text, problem) => {
    const before = await health();
    const printed = stage.lines.length;

    save(getHealth, `${withStatus('broken')}\n${text}\n`);
    await waitFor(() =>
      expect(stage.lines.slice(printed)).toContain('The old code goes on running.'),
    );
    const whileBroken = await health();
    save(getHealth, withStatus(`mended ${change}`));
    await waitFor(async () => expect(await health()).toBe(`mended ${change}`));

    expect(whileBroken).toBe(before);
    expect(stage.lines.slice(printed).join('\n')).toContain(problem);
    expect(startsOf(stage)).toBe(1);
  },
);

it('runs a file that was imported before it was there, and what it becomes', async () => {
  const part = join(sourceRoot, 'shared/new-part.ts');
  const withPart = original.replace("status: 'ok'", 'status: part');
  const printed = stage.lines.length;

  save(getHealth, `import { part } from '../shared/new-part.ts';\n${withPart}`);
  await waitFor(() =>
    expect(stage.lines.slice(printed)).toContain('The old code goes on running.'),
  );
  for (const status of ['there', 'changed']) {
    save(part, `export const part = '${status}';`);
    await waitFor(async () => expect(await health()).toBe(status));
  }

  expect(stage.lines.slice(printed).join('\n')).toContain('Could not resolve');
});

it('goes on after a file of `functions/` has come and gone', async () => {
  const extra = join(sourceRoot, 'functions/get-extra.ts');
  const printed = stage.lines.length;
  save(extra, 'export const handler = async () => ({});');
  await waitFor(() =>
    expect(stage.lines.slice(printed).join()).toContain(' code no function differs, '),
  );
  rmSync(extra);
  save(getHealth, withStatus('without it'));

  await waitFor(async () => expect(await health()).toBe('without it'));
});

it('starts again with its data after a change of the template', async () => {
  const { id } = await submit(stage, chatJob('stay'));
  await until(stage, id);
  const stack = join(sourceRoot, 'lib/stack/service-stack.ts');
  save(stack, readFileSync(stack, 'utf8').replace("'ApiUrl'", "'NewApiUrl'"));

  await waitFor(() => expect(startsOf(stage)).toBe(2));
  Object.assign(stage, readStageFile(stage.dataDir));
  const { body } = await call<{ status: string }>(stage, 'GET', `/batch/jobs/${id}`);

  expect(stage.outputs).toHaveProperty('NewApiUrl');
  expect(body.status).toBe('done');
  // The new template was synthesized before the old stage ended.
  expect(synthesesOf(stage)).toBe(1);
});

it('synthesizes nothing at its next start, unless a source has changed while it was off', async () => {
  const { dataDir } = stage;
  const startAgain = () =>
    stages.start({ sourceRoot, dataDir, args: ['--watch'], env: { QUIRE_ASSEMBLY: '' } });
  const healthOf = async (of: TestStage) =>
    (await call<{ status: string }>(of, 'GET', '/health')).body;
  await stage.kill('SIGTERM');
  const unchanged = await startAgain();
  await unchanged.kill('SIGTERM');
  save(getHealth, withStatus('changed while it was off'));
  const changed = await startAgain();

  expect(synthesesOf(unchanged)).toBe(0);
  expect(synthesesOf(changed)).toBe(1);
  expect(await healthOf(changed)).toMatchObject({ status: 'changed while it was off' });
  expect(readdirSync(join(dataDir, 'deployment'))).toHaveLength(1);
});
