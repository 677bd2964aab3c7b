import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, expect, it } from 'vitest';
import { synthesize } from '../../../lib/local/template/synthesize.ts';
import { useBatchUpstream } from '../../support/servers/batch-upstream.ts';
import { useOwnStage } from '../../support/servers/own-stages.ts';
import { poll } from '../../support/servers/poll.ts';

const outDir = mkdtempSync(join(tmpdir(), 'quire-upstream-batches-'));
afterAll(() => rmSync(outDir, { recursive: true, force: true }));
await synthesize(outDir, { catalogue: 'shared/models/catalogue-with-claude.json' });
const provider = await useBatchUpstream({ delayMs: 1_000 });
const stage = await useOwnStage({
  memory: true,
  env: {
    QUIRE_ASSEMBLY: outDir,
    ...{ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url },
    ...{ ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: provider.url },
  },
});
const client = new OpenAI({
  apiKey: stage.api_key,
  baseURL: `${stage.base_url}/v1`,
  maxRetries: 0,
});

const ends = ['completed', 'failed', 'expired', 'cancelled'];

it.concurrent.each(['gpt-4.1-mini', 'claude-haiku-4-5'])(
  'openai’s client has a batch of %s handed on to its upstream, and reads its answers',
  async (model) => {
    const requests = [1, 2, 3].map((at) => ({
      ...{ custom_id: `id-${at}`, method: 'POST', url: '/v1/chat/completions' },
      body: { model, messages: [{ role: 'user', content: `Question ${at}?` }] },
    }));
    const file = await client.files.create({
      file: await toFile(
        Buffer.from(requests.map((each) => JSON.stringify(each)).join('\n')),
        'r.jsonl',
      ),
      purpose: 'batch',
    });

    const { id } = await client.batches.create({
      ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
      metadata: { via: 'upstream' },
    });
    const batch = await poll(
      () => client.batches.retrieve(id),
      ({ status }) => ends.includes(status),
    );

    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { completed: 3, total: 3 },
    });
    const text = await (await client.files.content(batch.output_file_id ?? '')).text();
    const ids = text
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each).custom_id);
    expect(ids).toEqual(['id-1', 'id-2', 'id-3']);
  },
  300_000,
);
