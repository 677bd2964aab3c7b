import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { useDrive } from '../../support/servers/drive.ts';
import type { Fault } from '../../support/servers/drive-faults.ts';

const drive = await useDrive();
afterEach(() => drive.faults.clear());

const root = '/drive/v3/files/root';

describe('a fault', () => {
  it.each<[Fault, number, string]>([
    [{ status: 403, reason: 'userRateLimitExceeded' }, 403, 'usageLimits'],
    [{ reason: 'rateLimitExceeded' }, 403, 'usageLimits'],
    [{ status: 429 }, 429, 'usageLimits'],
    [{ reason: 'storageQuotaExceeded' }, 403, 'global'],
    [{ reason: 'backendError' }, 500, 'global'],
    [{ status: 503 }, 503, 'global'],
    [{ status: 401 }, 401, 'global'],
  ])('%o is answered as Google’s error', async (fault, status, domain) => {
    drive.fault(fault);

    const answer = await drive.call(root);

    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({
      error: { code: status, errors: [{ domain, reason: fault.reason ?? expect.any(String) }] },
    });
  });

  it('strikes as often as told, and only what it matches', async () => {
    drive.fault({ match: { method: 'GET', path: 'files/root' }, times: 2, status: 500 });

    const statuses = [];
    for (const path of ['/drive/v3/files', root, root, root]) {
      statuses.push((await drive.call(path)).status);
    }

    expect(statuses).toEqual([200, 500, 500, 200]);
  });

  it('is forgotten when told so', async () => {
    drive.fault({ status: 500, times: 9 });

    drive.faults.clear();

    expect((await drive.call(root)).status).toBe(200);
  });

  it('is outlived by Google’s client', async () => {
    drive.fault({ match: { method: 'GET' }, times: 2, status: 500, reason: 'backendError' });

    const { data } = await drive.client.files.get(
      { fileId: 'root' },
      { retryConfig: { retryDelay: 1 } },
    );

    expect(data.id).toBe('local-drive');
  });

  it('may answer an upload that is still being sent', async () => {
    drive.fault({ match: { method: 'POST' }, reason: 'storageQuotaExceeded' });

    const answer = await drive.call('/upload/drive/v3/files?uploadType=resumable', {
      method: 'POST',
      body: new Uint8Array(3_000_000),
    });

    expect(answer.status).toBe(403);
  });

  it('may cut a download in the middle', async () => {
    drive.put('large.bin', Buffer.alloc(2_000_000, 'x'));
    const fileId = await drive.idOf('large.bin');
    drive.fault({ match: { path: 'alt=media' }, cutAfterBytes: 300_000 });

    const { data } = await drive.client.files.get(
      { fileId, alt: 'media' },
      { responseType: 'stream' },
    );
    let received = 0;
    data.on('data', (chunk) => {
      received += chunk.length;
    });
    await expect(buffer(data)).rejects.toThrow();
    const again = await drive.call(`/drive/v3/files/${fileId}?alt=media`);

    expect(received).toBe(300_000);
    expect((await again.arrayBuffer()).byteLength).toBe(2_000_000);
  });

  it('may lose the answer of what was done', async () => {
    drive.put('named.txt', 'x');
    const fileId = await drive.idOf('named.txt');
    const mark = (step: string) => {
      const body = JSON.stringify({ appProperties: { [step]: 'done' } });
      return drive.call(`/drive/v3/files/${fileId}`, { method: 'PATCH', body });
    };
    const marks = async () =>
      (await drive.client.files.get({ fileId, fields: 'appProperties' })).data.appProperties;
    drive.fault(
      { match: { method: 'PATCH' }, afterDone: true },
      { match: { method: 'PATCH' }, afterDone: true, status: 503 },
    );

    await expect(mark('unanswered')).rejects.toThrow();
    const unanswered = await marks();
    const failed = await mark('failed');

    expect(failed.status).toBe(503);
    expect(unanswered).toEqual({ unanswered: 'done' });
    expect(await marks()).toEqual({ unanswered: 'done', failed: 'done' });
  });
});

it('requests are counted by kind', async () => {
  const before = drive.requests();
  drive.put('counted.txt', 'x');
  const fileId = await drive.idOf('counted.txt');
  await drive.client.files.get({ fileId });
  await drive.client.files.get({ fileId, alt: 'media' });
  await drive.client.files.get({ fileId, alt: 'media' });

  const after = drive.requests();

  const since = (kind: string) => (after[kind] ?? 0) - (before[kind] ?? 0);
  const get = 'GET /drive/v3/files';
  const counts = [get, `${get}/:fileId`, `${get}/:fileId?alt=media`].map(since);
  expect(counts).toEqual([1, 1, 2]);
});
