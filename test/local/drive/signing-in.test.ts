import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accessToken, askToken, driveClient, useDrive } from '../../support/servers/drive.ts';

const drive = await useDrive();

const scope = 'https://www.googleapis.com/auth/drive';
const now = Math.floor(Date.now() / 1000);

describe('the token endpoint', () => {
  it('grants the service account a token for an hour', async () => {
    const answer = await askToken(drive.serviceAccount, { scope });

    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      access_token: expect.stringMatching(/^ya29\./),
      expires_in: 3599,
      token_type: 'Bearer',
    });
  });

  it.each([
    ['for another audience', { aud: 'https://oauth2.googleapis.com/token' }, 'audience'],
    ['of another account', { iss: 'someone@else.iam.gserviceaccount.com' }, 'account not found'],
    ['of more than an hour', { iat: now, exp: now + 3601 }, 'short-lived token (60 minutes)'],
    ['that has expired', { iat: now - 7200, exp: now - 3600 }, 'reasonable timeframe'],
    ['from the future', { iat: now + 1800, exp: now + 3600 }, 'reasonable timeframe'],
  ])('refuses an assertion %s', async (_, claims, reason) => {
    const answer = await askToken(drive.serviceAccount, { scope, ...claims });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      error: 'invalid_grant',
      error_description: expect.stringContaining(reason),
    });
  });

  it('refuses an assertion that another key signed', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const another = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

    const answer = await askToken(drive.serviceAccount, { scope }, another);

    expect(await answer.json()).toEqual({
      error: 'invalid_grant',
      error_description: 'Invalid JWT Signature.',
    });
  });

  it('refuses an assertion that asks for no scope', async () => {
    const answer = await askToken(drive.serviceAccount);

    expect(await answer.json()).toMatchObject({ error: 'invalid_scope' });
  });

  it('refuses what is no signed assertion', async () => {
    const [assertion, refresh] = await Promise.all(
      [
        { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'a.b.c' },
        { grant_type: 'refresh_token' },
      ].map((form) =>
        fetch(`${drive.url}/token`, { method: 'POST', body: new URLSearchParams(form) }),
      ),
    );

    expect(await assertion?.json()).toMatchObject({ error: 'invalid_grant' });
    expect(await refresh?.json()).toMatchObject({ error: 'unsupported_grant_type' });
  });
});

describe('a request', () => {
  const place = { location: 'Authorization', locationType: 'header' };

  it('without a token is refused in Google’s words', async () => {
    const answer = await fetch(`${drive.url}/drive/v3/files`);

    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({
      error: {
        code: 401,
        message: expect.stringContaining('missing required authentication credential'),
        errors: [{ message: 'Login Required.', domain: 'global', reason: 'required', ...place }],
        status: 'UNAUTHENTICATED',
      },
    });
  });

  it.each(['/drive/v3/files', '/drive/v3/files/local-drive', '/upload/drive/v3/files'])(
    'with an unknown token to %s is refused',
    async (path) => {
      const answer = await fetch(`${drive.url}${path}`, {
        method: path.startsWith('/upload') ? 'POST' : 'GET',
        headers: { authorization: 'Bearer ya29.unknown' },
      });

      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({
        error: { errors: [{ message: 'Invalid Credentials', reason: 'authError', ...place }] },
      });
    },
  );

  it('may only read with a token for reading', async () => {
    const token = await accessToken(drive.serviceAccount, `${scope}.readonly`);
    const { files } = driveClient(drive.url, token);

    const read = await files.get({ fileId: drive.rootFolderId });
    const write = files.update({ fileId: drive.rootFolderId, requestBody: { name: 'new' } });

    expect(read.status).toBe(200);
    await expect(write).rejects.toMatchObject({
      status: 403,
      message: 'Request had insufficient authentication scopes.',
    });
  });
});
