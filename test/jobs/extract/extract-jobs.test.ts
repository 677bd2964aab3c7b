import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../shared/http/caller.ts';
import type { ExtractResult } from '../../../shared/jobs/result.ts';
import { smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { expectBalanced, usdPerPage, useOf } from '../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

let documents = 0;

async function submit(caller: Caller, content: Uint8Array | string, extract: object, rest = {}) {
  const name = typeof content === 'string' ? 'text.txt' : 'scan.pdf';
  const drive = { file_id: await world.add(`${++documents}-${name}`, content) };
  return (await world.submit(caller, { job_type: 'auto', drive, extract, ...rest })).id;
}

async function extracted(caller: Caller, id: string): Promise<ExtractResult> {
  await world.work();
  const { result, error } = await world.read(caller, id);
  if (result?.type !== 'extract') throw new Error(error ?? 'nothing was extracted');
  return result;
}

/** A model that answers each field with what it is told, wherever it is asked. */
function answer(fields: Record<string, object>): void {
  world.model.respond({ kind: 'answer', content: JSON.stringify(fields) });
}

const shade = { value: '120', quote: '120', page: 2 };
const example = { shade: 'a word' };

describe('fields of a document', () => {
  it('come with their places, of pages that were read and of a text layer', async () => {
    const caller = await world.newCaller();
    answer({ shade, printed: { value: 'printed,', quote: 'printed,', page: 1 } });
    const pdf = await smallPdf([{ words: words(1) }, { grey: 120 }]);

    const id = await submit(caller, pdf, { example: { shade: 'a', printed: 'b' } });
    const { data, evidence, coverage, ocr, cost_usd } = await extracted(caller, id);

    expect(data).toEqual({ shade: '120', printed: 'printed,' });
    expect(evidence.map(({ page, found }) => ({ page, found }))).toEqual([
      { page: 2, found: 'exact' },
      { page: 1, found: 'exact' },
    ]);
    for (const { boxes } of evidence) {
      const [[left = 0, top = 0, right = 0, bottom = 0] = []] = boxes;
      expect(left).toBeLessThan(right);
      expect(top).toBeLessThan(bottom);
      expect(Math.max(right, bottom)).toBeLessThanOrEqual(1000);
    }
    expect(coverage.pages.map(({ status }) => status)).toEqual(['used', 'used']);
    expect(ocr).toMatchObject({ page_count: 2, images_used: 1, cost_usd: usdPerPage });
    expect(await useOf(caller)).toMatchObject({ held: 0, used: cost_usd, pages: 1 });
    await expectBalanced([caller]);
  });

  it('that are others, of the same file, cost no reading', async () => {
    const caller = await world.newCaller();
    const drive = { file_id: await world.add('again.pdf', await smallPdf([{ grey: 50 }])) };
    answer({ shade: { value: '50', quote: '50', page: 1 } });
    const task = { job_type: 'auto', drive };
    const first = await world.submit(caller, { ...task, extract: { example } });
    const before = await extracted(caller, first.id);
    const { total } = world.textract.meter.report();

    answer({ word: { value: 'grey', quote: 'grey', page: 1 } });
    const { id } = await world.submit(caller, { ...task, extract: { example: { word: 'a' } } });
    const { ocr, evidence } = await extracted(caller, id);

    expect(before.ocr).toMatchObject({ cost_usd: usdPerPage });
    expect(ocr).toMatchObject({ images_used: 0, cost_usd: 0 });
    expect(evidence).toMatchObject([{ found: 'exact', page: 1, boxes: [expect.any(Array)] }]);
    expect(world.textract.meter.report().total).toBe(total);
  });

  it('of a text need no reading at all', async () => {
    const caller = await world.newCaller();
    answer({ shade: { value: 'blue', quote: 'blue', page: 1 } });

    const id = await submit(caller, 'The door is blue.', { example });
    const { data, evidence, ocr } = await extracted(caller, id);

    expect(data).toEqual({ shade: 'blue' });
    expect(evidence).toMatchObject([{ found: 'exact', page: 1, boxes: [] }]);
    expect(ocr).toEqual({ page_count: 1, images_used: 0, cost_usd: 0 });
  });
});
