import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { readContext, synthesize } from '../../lib/local/template/synthesize.ts';
import { everySetting } from '../support/run/every-setting.ts';
import { call, chatJob, submit, until } from '../support/servers/api.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';

const outDir = mkdtempSync(join(tmpdir(), 'quire-every-'));
afterAll(() => rmSync(outDir, { recursive: true, force: true }));
await synthesize(outDir, { context: everySetting });
const stage = await useOwnStage({ memory: true, env: { QUIRE_ASSEMBLY: outDir } });
const messages = [{ role: 'user', content: 'Hello' }];

it('a stage with every setting answers, through its authorizer', async () => {
  const { status } = await call(stage, 'POST', '/v1/chat/completions', {
    model: 'gpt-5-mini',
    messages,
  });
  const { status: stranger } = await call(
    { ...stage, api_key: `sk-${'a'.repeat(43)}` },
    ...(['POST', '/v1/chat/completions', { model: 'gpt-5-mini', messages }] as const),
  );

  expect([status, stranger]).toEqual([200, 401]);
});

it('a stage with every setting dispatches jobs and runs them', async () => {
  const { id } = await submit(stage, chatJob('Hello'));

  expect(await until(stage, id)).toMatchObject({ status: 'done' });
});

it('a stack with every setting passes the checks of cdk-nag and of the CDK', async () => {
  const context = { ...readContext(), ...everySetting, unbundled: true };
  const { CDK_VALIDATION: _, ...environment } = process.env;
  const env = {
    ...environment,
    CDK_OUTDIR: join(outDir, 'checked'),
    CDK_CONTEXT_JSON: JSON.stringify(context),
  };

  const { stderr } = await promisify(execFile)(process.execPath, ['bin/app.ts'], { env });

  expect(stderr).toBe('');
});
