import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kindOf } from '../../shared/documents/kind.ts';
import { decodeText } from '../../shared/documents/text.ts';
import { letters, notes, report } from '../support/fixtures/sample-texts.ts';
import { characterErrorRate } from '../support/fixtures/scans.ts';
import { look, open } from './open-bytes.ts';

const folder = new URL('../../lib/local/drive/samples/', import.meta.url);
const sample = (name: string) => readFileSync(new URL(name, folder));

describe('the sample documents', () => {
  it.each([
    ['two-column-scan.jpg', 'image'],
    ['text-layer.pdf', 'pdf'],
    ['mixed.pdf', 'pdf'],
    ['table.png', 'image'],
    ['invoice.pdf', 'pdf'],
    ['delivery-note.jpg', 'image'],
    ['offer-scan.pdf', 'pdf'],
    ['stock.xlsx', 'archive'],
    ['notes.txt', 'text'],
  ])('%s is of the kind %s', (name, kind) => {
    expect(kindOf(sample(name), 'application/octet-stream', name)).toBe(kind);
    expect(sample(name).length).toBeLessThan(400_000);
  });

  it('are text where they are text', () => {
    expect(decodeText(sample('notes.txt'))).toBe(notes);
  });

  it.each([
    ['text-layer.pdf', letters.map((text) => ({ kind: 'text', text }))],
    ['mixed.pdf', report],
  ])('%s has the pages it should', async (name, pages) => {
    const document = await open(sample(name), 'pdf');

    expect(document.pageCount).toBe(pages.length);
    for (const [index, { kind, text }] of pages.entries()) {
      const { textLayer, jpeg } = await document.readPage(index + 1);
      if (kind === 'text') expect(characterErrorRate(text, textLayer ?? '')).toBe(0);
      else expect((await look(jpeg)).height).toBeGreaterThan(3400);
    }
  });

  it('hold an A4 page at 300 dpi', async () => {
    const document = await open(sample('two-column-scan.jpg'), 'image');

    const { jpeg } = await document.readPage(1);

    expect(await look(jpeg)).toMatchObject({ width: 2479, height: 3504, bands: 1 });
  });
});
