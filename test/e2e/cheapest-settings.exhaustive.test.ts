import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { synthesize } from '../../lib/local/template/synthesize.ts';
import { constructOf, resourcesOf } from '../../lib/local/template/template.ts';
import { call } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';

const outDir = mkdtempSync(join(tmpdir(), 'quire-cheapest-'));
afterAll(() => rmSync(outDir, { recursive: true, force: true }));
const context = { 'quire:secrets': 'parameters', 'quire:completionsMemoryMb': 256 };
const { template } = await synthesize(outDir, { context });
const model = await useModelStub();
const stage = await useOwnStage({
  memory: true,
  env: {
    QUIRE_ASSEMBLY: outDir,
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'kept in a parameter',
  },
});

it('makes no secret that costs, and names the parameters that the operator makes', () => {
  expect(resourcesOf(template, 'AWS::SecretsManager::Secret')).toEqual([]);
  expect(stage.outputs).toMatchObject({
    OpenaiSecret: 'arn:aws:ssm:us-east-1:000000000000:parameter/quire-prod/openai',
    GoogleDriveSecret: 'arn:aws:ssm:us-east-1:000000000000:parameter/quire-prod/google-drive',
  });
});

it('calls models with the key that the parameter holds', async () => {
  const { status } = await call(stage, 'POST', '/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'Hello' }],
  });

  expect(status).toBe(200);
  const { headers } = await model.nextRequest();
  expect(headers.authorization).toBe('Bearer kept in a parameter');
});

it('gives completions the memory that is set, in which a picture of 3 MB fits', async () => {
  const picture = `data:image/png;base64,${'A'.repeat(3_000_000)}`;
  const { status } = await call(stage, 'POST', '/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: picture } }] }],
  });

  const memory = resourcesOf(template, 'AWS::Lambda::Function').flatMap(([id, resource]) =>
    constructOf(id, resource) === 'create-chat-completion'
      ? [resource.Properties?.['MemorySize']]
      : [],
  );
  expect([status, memory]).toEqual([200, [256]]);
});

it('reads the drive with the account that the parameter holds', async () => {
  const { status } = await call(stage, 'POST', '/batch/jobs', {
    job_type: 'ocr',
    drive: { folder_id: 'local-drive' },
    dry_run: true,
  });

  expect(status).toBe(200);
});
