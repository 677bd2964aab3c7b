import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { cancelUpload } from '../../shared/files/cancel-upload.ts';
import { completeUpload } from '../../shared/files/complete-upload.ts';
import { deleteFile } from '../../shared/files/delete-file.ts';
import { findStoredFile } from '../../shared/files/file.ts';
import { findFile } from '../../shared/files/find-file.ts';
import { listFiles } from '../../shared/files/list-files.ts';
import { usageOf } from '../../shared/files/quota.ts';
import { sweepFiles } from '../../shared/files/sweep-files.ts';
import { createUpload, isPending, requireUpload } from '../../shared/files/upload.ts';
import { addUploadPart } from '../../shared/files/upload-part.ts';
import { cases } from '../support/run/cases.ts';
import { hourMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { dyingBefore } from '../support/worlds/dying.ts';
import { makeFile, objectsOfKey, textOf } from '../support/worlds/files-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore({ queues: true });
useStoppedClock('2026-11-24T12:00:00.000Z');
beforeEach(() => {
  process.env['FILE_QUOTA'] = JSON.stringify({ files: 4, bytes: 40 });
});

const step = fc.record({
  act: fc.constantFrom('make', 'make', 'delete', 'begin', 'send', 'complete', 'cancel', 'wait'),
  /** Which of the files or uploads so far. */
  of: fc.nat(5),
  bytes: fc.integer({ min: 1, max: 25 }),
  lasts: fc.constantFrom(undefined, 3600, 7200),
  /** Before which request to the table it dies, if it comes so far. */
  diesBefore: fc.oneof({ arbitrary: fc.constant(99), weight: 3 }, fc.nat(6)),
  minutes: fc.constantFrom(1, 25, 61),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A key with what its owner remembers. */
class Owner {
  readonly key = `key_${randomUUID()}`;
  private readonly uploads: { id: string; bytes: number; parts: string[] }[] = [];

  async take({ act, of, bytes, lasts, diesBefore, minutes }: Step): Promise<void> {
    const { data } = await listFiles(this.key);
    const file = data[of % (data.length || 1)];
    const upload = this.uploads[of % (this.uploads.length || 1)];
    const acts: Record<Step['act'], () => Promise<unknown>> = {
      make: () => makeFile(this.key, 'x'.repeat(bytes), { expiresAfterSeconds: lasts }),
      delete: async () => file && deleteFile(this.key, file.id),
      begin: async () => {
        const asked = { filename: 'a', purpose: 'batch', mime_type: 'text/plain', bytes } as const;
        const { entry } = await createUpload(this.key, asked);
        this.uploads.push({ id: entry, bytes, parts: [] });
      },
      send: async () => {
        if (!upload) return;
        const data = Buffer.alloc(upload.bytes, 'x');
        upload.parts.push((await addUploadPart(this.key, upload.id, data)).id);
      },
      complete: async () =>
        upload && completeUpload(this.key, upload.id, { part_ids: upload.parts.slice(0, 1) }),
      cancel: async () => upload && cancelUpload(this.key, upload.id),
      wait: async () => {
        pass(minutes * minuteMs);
        await sweepFiles();
      },
    };
    // What is refused is refused; what dies says nothing.
    await dyingBefore(diesBefore, () => acts[act]().catch(() => {}));
  }

  /** The folders of objects that somebody may still read or add to, and what those count. */
  async counted(): Promise<{ folders: Set<string>; files: number; bytes: number }> {
    const { data } = await listFiles(this.key);
    const files = await Promise.all(data.map(({ id }) => findStoredFile(this.key, id)));
    // One that has ended is forgotten with its last object.
    const uploads = await Promise.all(
      this.uploads.map(({ id }) => requireUpload(this.key, id).catch(() => undefined)),
    );
    const pending = uploads.filter((upload) => upload !== undefined).filter(isPending);
    const folders = [
      ...files.map((file) => file?.folder ?? file?.entry),
      ...pending.map(({ entry }) => entry),
    ];
    const bytes = [...data, ...pending].reduce((sum, each) => sum + each.bytes, 0);
    return { folders: new Set(folders.map(String)), files: data.length + pending.length, bytes };
  }
}

it('counts what there is, keeps its bytes and no others, whatever is done and wherever it dies', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const owner = new Owner();
      for (const each of steps) await owner.take(each);
      // What broke off is swept, and looked for once more.
      for (const minutes of [17, 21, 21]) {
        pass(minutes * minuteMs);
        await sweepFiles();
      }

      const { folders, files, bytes } = await owner.counted();

      expect(await usageOf(owner.key)).toMatchObject({ files, bytes });
      expect(files).toBeLessThanOrEqual(4);
      expect(bytes).toBeLessThanOrEqual(40);
      for (const name of await objectsOfKey(owner.key)) {
        expect(folders, name).toContain(name.split('/')[2]);
      }
      for (const { id, bytes } of (await listFiles(owner.key)).data) {
        const file = await findFile(owner.key, id);
        expect(file && (await textOf(file))).toBe('x'.repeat(bytes));
      }
      pass(40 * 24 * hourMs);
      for (const { id } of (await listFiles(owner.key)).data) await deleteFile(owner.key, id);
      await sweepFiles();
      expect(await usageOf(owner.key)).toMatchObject({ files: 0, bytes: 0 });
      expect(await objectsOfKey(owner.key)).toEqual([]);
    }),
    { numRuns: cases(25, 300) },
  );
});
