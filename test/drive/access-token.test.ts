import type { FastifyReply } from 'fastify';
import { beforeEach, expect, it } from 'vitest';
import { refusal, useScriptedDrive } from './scripted-drive.ts';
import { failureOf, useQuire } from './use-quire.ts';

let assertions: string[] = [];
let isGood: (token: string) => boolean;
let failGrant: ((reply: FastifyReply) => unknown) | undefined;

const folder = { id: 'f', name: 'f', mimeType: 'application/vnd.google-apps.folder' };
const drive = await useScriptedDrive((app) => {
  app.post('/token', ({ body }, reply) => {
    assertions.push(new URLSearchParams(String(body)).get('assertion') ?? '');
    const fail = failGrant;
    failGrant = undefined;
    if (fail) return fail(reply);
    return reply.send({ access_token: `token-${assertions.length}`, expires_in: 3599 });
  });
  app.get('/drive/v3/files/:id', ({ headers: { authorization = '' } }, reply) =>
    isGood(authorization.replace('Bearer ', ''))
      ? reply.send(folder)
      : reply.code(401).send(refusal(401, 'authError')),
  );
});
const quire = await useQuire(drive);

beforeEach(async () => {
  quire.setSecret(JSON.stringify(drive.serviceAccount));
  quire.forgetDriveClient(await quire.driveClient());
  assertions = [];
  isGood = () => true;
});

const ask = () => quire.requireReadableFolder('f', ['f']);

it('an access token is minted once for all who want it at the same time', async () => {
  await Promise.all(Array.from({ length: 10 }, ask));

  expect(assertions).toHaveLength(1);
});

it('an access token that is refused is minted anew', async () => {
  await ask();
  isGood = (token) => token === 'token-2';

  const folder = await ask();

  expect(folder.id).toBe('f');
  expect(assertions).toHaveLength(2);
});

it('an access token that is refused again is not minted for ever', async () => {
  isGood = () => false;

  const error = await failureOf(ask());

  expect(assertions).toHaveLength(2);
  expect(error).toMatchObject({ statusCode: 503, code: 'drive_unavailable' });
});

it('an access token is asked for again where Google does not answer', async () => {
  failGrant = (reply) => reply.code(503).header('retry-after', 0).send('Try later');

  const folder = await ask();

  expect(folder.id).toBe('f');
  expect(assertions).toHaveLength(2);
});

it('an access token is minted for the person whom the account acts for', async () => {
  quire.setSecret(JSON.stringify({ ...drive.serviceAccount, subject: 'ann@example.com' }));
  quire.forgetDriveClient(await quire.driveClient());

  await ask();

  const claims = JSON.parse(`${Buffer.from(assertions[0]?.split('.')[1] ?? '', 'base64url')}`);
  expect(claims).toMatchObject({
    iss: drive.serviceAccount.client_email,
    sub: 'ann@example.com',
    aud: drive.serviceAccount.token_uri,
  });
});
