import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Fastify, { type FastifyReply } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { bundle } from '../../lib/stack/bundles/bundles.ts';
import type { askDrive } from '../../shared/connectors/ask-drive.ts';

const lambda = Fastify({ forceCloseConnections: true });
let ask: typeof askDrive;
let respond: (reply: FastifyReply) => unknown;
const invoked: unknown[] = [];

beforeAll(async () => {
  lambda.removeAllContentTypeParsers();
  lambda.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  lambda.post<{ Params: { name: string } }>(
    '/2015-03-31/functions/:name/invocations',
    ({ params, body }, reply) => {
      invoked.push({ ...params, question: JSON.parse(String(body)) });
      return respond(reply);
    },
  );
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_LAMBDA: await lambda.listen({ host: '127.0.0.1', port: 0 }),
    AWS_MAX_ATTEMPTS: '1',
    SEARCH_DRIVE_FUNCTION: 'search-drive',
  });
  ask = (await import('../../shared/connectors/ask-drive.ts')).askDrive;
});
afterAll(() => lambda.close());

const question = { ask: 'search' as const, keyId: 'key_1', folders: ['f'], queries: ['lamp'] };
const { signal } = new AbortController();
const unavailable = { name: 'ServiceError', statusCode: 503, code: 'connector_unavailable' };

it('the function is asked, and its answer returned', async () => {
  const answer = { hits: [{ id: '1', title: 'Lamps', url: 'https://drive.google.com/1' }] };
  respond = (reply) => reply.send(answer);

  const { hits } = await ask(question, signal);

  expect(hits).toEqual(answer.hits);
  expect(invoked).toEqual([{ name: 'search-drive', question }]);
});

describe('503 is thrown, in plain words, if the function', () => {
  it.each<[string, (reply: FastifyReply) => unknown]>([
    [
      'ends in an error',
      (reply) =>
        reply.header('x-amz-function-error', 'Unhandled').send({ errorMessage: 'secret detail' }),
    ],
    ['is throttled', (reply) => reply.code(429).send({ Message: 'Rate exceeded' })],
    ['is not there', (reply) => reply.code(404).send({ Message: 'Function not found' })],
    ['answers nothing', (reply) => reply.send('')],
    ['is cut off', (reply) => reply.raw.destroy()],
  ])('%s', async (_, answer) => {
    respond = answer;

    const asked = ask({ ask: 'fetch', keyId: 'key_1', folders: ['f'], ids: ['1'] }, signal);

    await expect(asked).rejects.toMatchObject({
      ...unavailable,
      message: "This key's Drive folders can't be searched now. Try again later.",
    });
  });
});

it('a caller who leaves gets their own reason', async () => {
  respond = () => new Promise(() => {});
  const leaving = new AbortController();
  const asked = ask(question, leaving.signal);

  leaving.abort(new Error('The caller hung up'));

  await expect(asked).rejects.toThrow('The caller hung up');
});

it('what asks carries no code of Drive or of documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bundles-'));
  const askDrive = fileURLToPath(new URL('../../shared/connectors/ask-drive.ts', import.meta.url));
  const catalogue = {
    defaults: { chat: '', ocr: '' },
    upstreams: {},
    models: [],
    embeddingModels: [],
    ocrEngines: [],
    searchProviders: [],
  };

  bundle([{ in: askDrive, out: join('ask-drive', 'index') }], folder, catalogue);

  const notices = readFileSync(join(folder, 'ask-drive', 'NOTICES.txt'), 'utf8');
  rmSync(folder, { recursive: true });
  expect(notices.split('\n', 1)).toEqual([expect.stringMatching(/^@smithy/)]);
  expect(notices).not.toMatch(/googleapis|pdfium|fflate|htmlparser2/);
});
