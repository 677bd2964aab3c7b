import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { askToken, useDrive } from '../../support/servers/drive.ts';

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

  it.each([{}, { scope: `${scope}.readonly` }])(
    'refuses an assertion that asks for %o',
    async (claims) => {
      const answer = await askToken(drive.serviceAccount, claims);

      expect(await answer.json()).toEqual({ error: 'invalid_grant' });
    },
  );

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
    const message = 'Request had invalid authentication credentials.';

    const answer = await fetch(`${drive.url}/drive/v3/files`);

    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({
      error: {
        code: 401,
        message,
        errors: [{ message, domain: 'global', reason: 'authError', ...place }],
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
        error: { errors: [{ reason: 'authError', ...place }] },
      });
    },
  );
});
