import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { beforeEach, expect, it } from 'vitest';
import { refusal, useScriptedDrive } from './scripted-drive.ts';
import { failureOf, useQuire } from './use-quire.ts';

const chunkBytes = 8 * 1024 * 1024;
const granuleBytes = 256 * 1024;

let ranges: string[] = [];
let methods: string[] = [];
/** How the Drive answers the next chunk, knowing how much of it has come. */
let answer: (reply: FastifyReply, range: string) => unknown;

const drive = await useScriptedDrive((app) => {
  app.route({
    method: ['POST', 'PATCH'],
    url: '/upload/*',
    handler: ({ method }, reply) => {
      methods.push(method);
      return reply.header('location', `${drive.url}/session`).send();
    },
  });
  app.put('/session', ({ headers }, reply) => {
    const range = headers['content-range']?.replace('bytes ', '') ?? '';
    ranges.push(range);
    return answer(reply, range);
  });
});
const quire = await useQuire(drive);

beforeEach(() => {
  [ranges, methods] = [[], []];
});

const result = { id: 'r', folderId: 'f', name: 'r.bin', mimeType: 'x/y', sourceId: 's' };
const goOn = (reply: FastifyReply, arrived: number) =>
  (arrived > 0 ? reply.header('range', `bytes=0-${arrived - 1}`) : reply).code(308).send();
const endOf = (range: string) => Number(/-(\d+)\//.exec(range)?.[1]) + 1;

it('goes on from where Drive has come, if that is not the whole chunk', async () => {
  const content = randomBytes(chunkBytes + 1000);
  answer = (reply, range) => {
    if (endOf(range) === content.length) return reply.send({});
    return goOn(reply, ranges.length === 1 ? 3 * granuleBytes : endOf(range));
  };

  await quire.writeResult(result, { body: Readable.from([content]), bytes: content.length });

  expect(ranges).toEqual([
    `0-${chunkBytes - 1}/${content.length}`,
    `${3 * granuleBytes}-${chunkBytes - 1}/${content.length}`,
    `${chunkBytes}-${content.length - 1}/${content.length}`,
  ]);
});

it('asks after a fault how much has come, and sends only the rest', async () => {
  const content = randomBytes(chunkBytes + 1000);
  answer = (reply, range) => {
    if (ranges.length === 1) return reply.code(503).header('retry-after', 0).send();
    if (range.startsWith('*')) return goOn(reply, 4 * granuleBytes);
    return endOf(range) === content.length ? reply.send({}) : goOn(reply, endOf(range));
  };

  await quire.writeResult(result, { body: Readable.from([content]), bytes: content.length });

  expect(ranges).toEqual([
    `0-${chunkBytes - 1}/${content.length}`,
    `*/${content.length}`,
    `${4 * granuleBytes}-${chunkBytes - 1}/${content.length}`,
    `${chunkBytes}-${content.length - 1}/${content.length}`,
  ]);
});

it('gives up for now on a Drive that takes no more', async () => {
  answer = (reply) => goOn(reply, 0);

  const error = await failureOf(
    quire.writeResult(result, { body: Readable.from(['content']), bytes: 7 }),
  );

  expect(ranges).toHaveLength(5);
  expect(error).toMatchObject({ statusCode: 503, code: 'drive_unavailable' });
});

it.each([404, 410])('leaves it to another try where Drive lost the upload: %i', async (status) => {
  answer = (reply) => reply.code(status).send(refusal(status, 'gone'));

  const error = await failureOf(
    quire.writeResult(result, { body: Readable.from(['content']), bytes: 7 }),
  );

  expect(error).toMatchObject({ statusCode: 503, code: 'drive_unavailable' });
});

it('overwrites the file where Drive says only at the end that it is there', {
  tags: 'exhaustive',
}, async () => {
  const content = randomBytes(chunkBytes + 1000);
  answer = (reply, range) => {
    if (endOf(range) < content.length) return goOn(reply, endOf(range));
    return methods.includes('PATCH')
      ? reply.send({})
      : reply.code(409).send(refusal(409, 'fileIdInUse'));
  };

  await quire.writeResult(result, { body: () => Readable.from([content]), bytes: content.length });

  expect(methods).toEqual(['POST', 'PATCH']);
  expect(ranges.at(-1)).toBe(`${chunkBytes}-${content.length - 1}/${content.length}`);
});
