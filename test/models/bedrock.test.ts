import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { requireSignature } from '../../lib/local/engines/signature.ts';
import { startOfflineModel } from '../../lib/local/offline-model/offline-model-server.ts';
import type { Model } from '../../shared/models/catalogue.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { completionOf, streamOf } from '../support/servers/model-stub-pieces.ts';
import { anyBytes } from '../support/servers/rooms.ts';

interface Received {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

const received: Received[] = [];
let status = 200;

/** It refuses with 403 what isn't signed, as AWS does. */
const bedrock = createServer(async (request, response) => {
  const body = await text(request);
  const { url = '', headers } = request;
  received.push({ url, headers, body });
  const isStreamed = JSON.parse(body).stream === true;
  const type = isStreamed ? 'text/event-stream' : 'application/json';
  response.writeHead(status, { 'content-type': status === 200 ? type : 'application/json' });
  if (status !== 200) response.end('{"message":"You don\'t have access to the model"}');
  else response.end(isStreamed ? streamOf(['Hello']).join('') : completionOf('Hello'));
});
requireSignature(bedrock);
await new Promise<void>((resolve) => bedrock.listen(0, '127.0.0.1', resolve));
afterAll(() => bedrock.close());
afterEach(() => {
  vi.unstubAllEnvs();
  received.length = 0;
  status = 200;
});

const file = join(useFolder(), 'catalogue.json');
const { port } = bedrock.address() as AddressInfo;
writeFileSync(
  file,
  JSON.stringify({
    defaults: { chat: 'gpt-oss', ocr: 'textract' },
    ocrEngines: [{ id: 'textract', features: [], usdPerPage: 0.0015 }],
    upstreams: {
      bedrock: { baseUrl: `http://127.0.0.1:${port}/openai/v1`, awsRegion: 'eu-west-1' },
    },
    models: [
      {
        id: 'gpt-oss',
        upstreams: [{ upstream: 'bedrock', model: 'openai.gpt-oss-20b-1:0' }],
        contextWindow: 128_000,
        maxOutputTokens: 16_000,
        usdPerMillionTokens: { input: 0.07, output: 0.3 },
      },
    ],
  }),
);
// It has no secret of any provider.
Object.assign(process.env, clientEnvironment, { QUIRE_CATALOGUE: file });
delete process.env['PROVIDER_SECRETS'];
const { openCompletion } = await import('../../shared/models/upstreams/fail-over.ts');
const { findModel } = await import('../../shared/models/catalogue.ts');

const open = (rest: object = {}) =>
  openCompletion(
    findModel('gpt-oss') as Model,
    'a-key',
    {
      dialect: 'chat',
      body: { model: 'gpt-oss', messages: [{ role: 'user', content: 'Grüße, 日本' }], ...rest },
    },
    new AbortController().signal,
    anyBytes(),
  );

describe('Bedrock', () => {
  it.each([
    [{}, 'application/json'],
    [{ stream: true }, 'text/event-stream'],
  ])('is asked with a signature of the function, and no key: %j', async (rest, type) => {
    const { response } = await open(rest);

    expect(response.headers.get('content-type')).toBe(type);
    const [{ url, headers, body } = { url: '', headers: {}, body: '' }] = received;
    expect(url).toBe('/openai/v1/chat/completions');
    expect(JSON.parse(body)).toMatchObject({ model: 'openai.gpt-oss-20b-1:0' });
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=local\/\d{8}\/eu-west-1\/bedrock\/aws4_request, /,
    );
    const hash = createHash('sha256').update(body).digest('hex');
    expect(headers['x-amz-content-sha256']).toBe(hash);
  });

  it('is told the session of the function’s role, as part of what is signed', async () => {
    vi.stubEnv('AWS_SESSION_TOKEN', 'a-session');

    await open();

    const [{ headers } = { headers: {} as IncomingHttpHeaders }] = received;
    expect(headers['x-amz-security-token']).toBe('a-session');
    expect(headers.authorization).toMatch(/SignedHeaders=[^,]*x-amz-security-token/);
  });

  it('refuses a signature with another secret key, and isn’t asked again', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another');

    await expect(open()).rejects.toMatchObject({
      statusCode: 503,
      message: 'The model provider refused our credentials.',
    });
    expect(received).toEqual([]);
  });

  it('has the offline model in its place on a stage, which takes what the stage’s functions sign', async () => {
    const offline = await startOfflineModel();
    vi.stubEnv('OPENAI_BASE_URL', offline.url);

    const { whole } = await open();

    expect(whole?.value).toMatchObject({ object: 'chat.completion' });
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another');
    await expect(open()).rejects.toMatchObject({ statusCode: 503 });
    await offline.close();
  });

  it('that denies access is asked once: there is no key to read anew', async () => {
    status = 401;

    await expect(open()).rejects.toMatchObject({ statusCode: 503 });
    expect(received).toHaveLength(1);
  });
});
