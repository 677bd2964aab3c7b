import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { smallPdf, words } from '../support/fixtures/small-documents.ts';
import { useFolder } from '../support/run/use-folder.ts';

const folder = useFolder();
const { pid: dead } = spawnSync(process.execPath, ['-e', '']);

type Reader = (pdf: Uint8Array) => Promise<unknown>;

it.each<[string, () => Promise<Reader>]>([
  [
    'a file that is attached',
    async () => {
      const { readAttached } = await import('../../shared/documents/attached/read-attached.ts');
      return (pdf) =>
        readAttached({
          ...{ keyId: 'key_1', name: 'a.pdf', mimeType: '' },
          content: { base64: Buffer.from(pdf).toString('base64') },
          limits: { characters: 1_000, jsonBytes: 10_000, longer: 'refused' },
        });
    },
  ],
  [
    'a PDF of the web',
    async () => {
      const { pdfText } = await import('../../shared/pages/pdf-text.ts');
      return pdfText;
    },
  ],
])(
  '%s leaves nothing on the disk, and removes what a stopped process has left',
  async (_, load) => {
    vi.resetModules();
    const disk = mkdtempSync(join(folder, 'disk-'));
    mkdirSync(join(disk, `quire-${dead}-0`, 'files-1'), { recursive: true });
    vi.stubEnv('TMPDIR', disk);
    const read = await load();

    const reading = await read(await smallPdf([{ words: words(1) }]));

    expect(JSON.stringify(reading)).toContain('These words');
    expect(readdirSync(disk, { recursive: true })).toEqual([`quire-${process.pid}-${threadId}`]);
  },
);
