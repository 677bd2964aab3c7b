import { expect, it, vi } from 'vitest';
import { useDrive } from '../../support/servers/drive.ts';

// Root may read whatever the mode of a file says, so the refusal is made here.
vi.mock('node:fs/promises', async (original) => {
  const promises = await original<typeof import('node:fs/promises')>();
  return {
    ...promises,
    open: async (path: string, flags: number) => {
      if (!path.endsWith('private.pdf')) return promises.open(path, flags);
      throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), {
        code: 'EACCES',
      });
    },
  };
});

const drive = await useDrive();

it('a file that the stage may not read is listed without a checksum, beside the others', async () => {
  drive.put('papers/private.pdf', '%PDF');
  drive.put('papers/report.pdf', '%PDF');
  const q = `'${await drive.idOf('papers')}' in parents`;
  const fields = 'files(name,size,md5Checksum)';

  const { data } = await drive.client.files.list({ q, fields });

  expect(data.files?.sort((a, b) => (a.name ?? '').localeCompare(b.name ?? ''))).toEqual([
    { name: 'private.pdf', size: '4' },
    { name: 'report.pdf', size: '4', md5Checksum: expect.stringMatching(/^[0-9a-f]{32}$/) },
  ]);
});

it('a download of it is refused as Drive refuses one', async () => {
  drive.put('papers/private.pdf', '%PDF');
  const id = await drive.idOf('private.pdf');

  const answer = await drive.call(`/drive/v3/files/${id}?alt=media`);

  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({
    error: {
      message: expect.stringMatching(/^The stage may not read .*private\.pdf\.$/),
      errors: [{ reason: 'insufficientFilePermissions' }],
    },
  });
});
