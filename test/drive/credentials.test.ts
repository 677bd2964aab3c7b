import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { useDrive } from '../support/servers/drive.ts';
import { failureOf, useQuire } from './use-quire.ts';

const drive = await useDrive();
const quire = await useQuire(drive);
const account = { ...drive.serviceAccount };

beforeEach(async () => {
  quire.setSecret(JSON.stringify(account));
  quire.forgetDriveClient(await quire.driveClient());
});

const ask = () => quire.requireReadableFolder(drive.rootFolderId, [drive.rootFolderId]);
const pem = () =>
  String(
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }),
  );
const without = (field: string) => JSON.stringify({ ...account, [field]: undefined });
const withField = (field: string, value: string) => JSON.stringify({ ...account, [field]: value });

it.each<[string, () => string, string]>([
  ['nothing', () => '', 'holds no text'],
  ['no JSON', () => account['private_key'] as string, 'its text is missing or malformed'],
  ['another JSON', () => '{"type":"authorized_user"}', 'client_email'],
  ['no private key', () => without('private_key'), 'private_key'],
  ['half a private key', () => withField('private_key', pem().slice(0, 400)), 'private_key'],
  ['no token_uri', () => without('token_uri'), 'token_uri'],
])(
  'a secret with %s is told to an operator, and counts as soon as it is right',
  async (_, bad, said) => {
    quire.setSecret(bad());

    const error = (await failureOf(ask())) as Error;
    quire.setSecret(JSON.stringify(account));
    const folder = await ask();

    expect(error).toMatchObject({ statusCode: 503, code: 'drive_unavailable' });
    expect(error.message).toContain(said);
    expect(error.message).toContain('Put the JSON key of a Google service account');
    expect(`${error.message} ${error.cause}`).not.toContain('PRIVATE');
    expect(folder.id).toBe(drive.rootFolderId);
  },
);

it('a key that Google has revoked is told, and counts as soon as it is right', async () => {
  quire.setSecret(withField('private_key', pem()));

  const error = await failureOf(ask());
  quire.setSecret(JSON.stringify(account));
  const folder = await ask();

  expect(error).toMatchObject({
    statusCode: 503,
    code: 'drive_unavailable',
    message: expect.stringContaining(account['client_email'] as string),
  });
  expect(folder.id).toBe(drive.rootFolderId);
});
