import { text } from 'node:stream/consumers';
import type { FastifyReply } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { writtenLines } from '../support/run/output.ts';
import { hurrySignals } from '../support/worlds/clock.ts';
import { refusal, useScriptedDrive } from './scripted-drive.ts';
import { failureOf, useQuire } from './use-quire.ts';

type Answer = (reply: FastifyReply) => unknown;

/** What the next requests get, in order; then all goes well. */
let script: Answer[] = [];
let asked = 0;

const item = { id: 'a-file', name: 'a.txt', mimeType: 'text/plain', md5Checksum: 'md5' };

const drive = await useScriptedDrive((app) => {
  app.get<{ Querystring: { alt?: string } }>('/drive/v3/files/:id', ({ query }, reply) => {
    asked++;
    const answer = script.shift();
    if (answer) return answer(reply);
    return query.alt === 'media' ? reply.send('content') : reply.send(item);
  });
});
const quire = await useQuire(drive);

beforeEach(() => {
  asked = 0;
  script = [];
});

const find = () => quire.findReadableFile('a-file', ['a-file']);
const status =
  (code: number, reason: string): Answer =>
  (reply) =>
    reply.code(code).header('retry-after', 0).send(refusal(code, reason));
const html: Answer = (reply) =>
  reply.code(502).header('retry-after', 0).type('text/html').send('<h1>Bad Gateway</h1>');
const hangUp: Answer = (reply) => reply.raw.destroy();
const isSilent: Answer = (reply) => reply.hijack();
const cutJson: Answer = (reply) => {
  reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
  reply.raw.write('{"id":', () => reply.raw.destroy());
};

describe('Drive is asked again after', () => {
  it.each<[string, Answer]>([
    ['429', status(429, 'rateLimitExceeded')],
    ['403 rateLimitExceeded', status(403, 'rateLimitExceeded')],
    ['403 userRateLimitExceeded', status(403, 'userRateLimitExceeded')],
    ['403 sharingRateLimitExceeded', status(403, 'sharingRateLimitExceeded')],
    ['500', status(500, 'internalError')],
    ["503 with a proxy's page", html],
    ['a connection that was cut', hangUp],
    ['an answer that was cut', cutJson],
  ])('%s', async (_, fault) => {
    script = [fault];

    const file = await find();

    expect(file.id).toBe('a-file');
    expect(asked).toBe(2);
  });

  it('silence', { tags: 'exhaustive' }, async () => {
    hurrySignals();
    script = [isSilent];

    const file = await find();

    expect(file.id).toBe('a-file');
    expect(asked).toBe(2);
  });

  it('429 where a download begins', async () => {
    script = [status(403, 'userRateLimitExceeded')];

    const { body } = await quire.openContent(await aFile());

    expect(await text(body)).toBe('content');
    expect(asked).toBe(2);
  });
});

const aFile = async () => ({ ...item, parents: [], contentId: '', appProperties: {} });

it('Drive is asked five times, and then told to be away for now', async () => {
  script = Array.from({ length: 9 }, () => status(429, 'rateLimitExceeded'));

  const error = await failureOf(find());

  expect(asked).toBe(5);
  expect(error).toMatchObject({ statusCode: 503, code: 'drive_unavailable', retryAfterSeconds: 0 });
});

it('Drive is not waited for longer than half a minute, but its advice is passed on', async () => {
  script = [(reply) => reply.code(429).header('retry-after', 40).send(refusal(429, 'slow'))];

  const error = await failureOf(find());

  expect(asked).toBe(1);
  expect(error).toMatchObject({ code: 'drive_unavailable', retryAfterSeconds: 40 });
});

it('Drive is not asked again where that changes nothing', async () => {
  script = [status(400, 'badRequest')];

  const error = await failureOf(find());

  expect(asked).toBe(1);
  expect(error).toMatchObject({ statusCode: 400, code: 'drive_refused', retryAfterSeconds: null });
});

it("Drive is told to be away where what answers isn't it", async () => {
  script = [(reply) => reply.type('text/html').send('<h1>Sign in to the hotel</h1>')];

  const error = await failureOf(find());

  expect(error).toMatchObject({ statusCode: 503, code: 'drive_unavailable' });
});

it('Drive is told to want its API enabled', async () => {
  script = [status(403, 'accessNotConfigured')];

  const error = await failureOf(find());

  expect(error).toMatchObject({
    statusCode: 503,
    code: 'drive_unavailable',
    message: expect.stringContaining('Enable the Google Drive API'),
  });
});

describe('a download', () => {
  const cut: Answer = (reply) => {
    reply.raw.writeHead(200, { 'content-length': 1000 });
    reply.raw.write('the first half', () => reply.raw.destroy());
  };
  const cutChunked: Answer = (reply) => {
    reply.raw.writeHead(200);
    reply.raw.write('the first half', () => reply.raw.destroy());
  };

  it.each([
    ['of known length', cut],
    ['of unknown length', cutChunked],
  ])('%s that is cut fails, and says to try again', async (_, answer) => {
    script = [answer];
    const { body } = await quire.openContent(await aFile());

    const error = await failureOf(text(body));

    expect(error).toMatchObject({ statusCode: 503, code: 'drive_unavailable' });
  });

  it.each([
    ['fileNotDownloadable', 422, 'unsupported_file_type'],
    ['cannotDownloadFile', 403, 'drive_forbidden'],
  ])('that is refused as %s fails for good', async (reason, statusCode, code) => {
    script = [status(403, reason)];

    const error = await failureOf(quire.openContent(await aFile()));

    expect(asked).toBe(1);
    expect(error).toMatchObject({ statusCode, code });
  });
});

it('nothing of a token, a key or an answer is logged or told', async () => {
  script = [html, status(401, 'authError'), status(403, 'userRateLimitExceeded'), html, html, html];

  const error = (await failureOf(find())) as Error;

  const logged = writtenLines();
  const told = [...logged, error.message, error.stack, JSON.stringify(error), `${error.cause}`];
  expect(logged.filter((line) => line.includes('drive'))).toHaveLength(4);
  for (const secret of ['a-token', 'PRIVATE', 'Bad Gateway', 'Bearer', 'assertion']) {
    expect(told.join('\n')).not.toContain(secret);
  }
});
