import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accessToken, askToken, driveClient, useDrive } from '../../support/servers/drive.ts';

const drive = await useDrive();

const scope = 'https://www.googleapis.com/auth/drive';

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

  it('refuses an assertion that another key signed', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const another = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

    const answer = await askToken(drive.serviceAccount, { scope }, another);

    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: 'invalid_grant' });
  });

  it('refuses an assertion that asks for no scope', async () => {
    const answer = await askToken(drive.serviceAccount);

    expect(await answer.json()).toEqual({ error: 'invalid_grant' });
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
    expect(await refresh?.json()).toMatchObject({ error: 'invalid_grant' });
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
