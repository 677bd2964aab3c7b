import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { dynamodb } from '../../../../shared/aws/dynamodb.ts';
import { setting } from '../../../../shared/config.ts';
import type { Caller } from '../../../../shared/http/caller.ts';
import type { ExtractResult } from '../../../../shared/jobs/results/result.ts';
import { smallPdf, words } from '../../../support/fixtures/small-documents.ts';
import { expectBalanced, usdPerPage, useOf } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';

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

/** Takes from what is kept of a key's pages where their words are, as if they had been read long ago. */
async function forgetWords({ keyId: key_id }: Caller): Promise<void> {
  const TableName = setting('JOBS_TABLE');
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'key_id = :key AND begins_with(job_id, :pages)',
      ExpressionAttributeValues: { ':key': key_id, ':pages': 'pages_' },
    }),
  );
  for (const { job_id } of Items) {
    await dynamodb.send(
      new UpdateCommand({
        TableName,
        Key: { key_id, job_id },
        UpdateExpression: 'REMOVE #value.words_object',
        ExpressionAttributeNames: { '#value': 'value' },
      }),
    );
  }
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

  it('of a page that was read before words were kept have it read once more', async () => {
    const caller = await world.newCaller();
    const drive = { file_id: await world.add('older.pdf', await smallPdf([{ grey: 90 }])) };
    const found = { value: '90', quote: '90', page: 1 };
    answer({ shade: found, word: found, other: found });
    const task = { job_type: 'auto', drive };
    await world.submit(caller, task);
    await world.work();
    await forgetWords(caller);

    const images = [];
    for (const name of ['shade', 'word', 'other']) {
      const example = { [name]: 'a' };
      const { id } = await world.submit(caller, { ...task, extract: { example } });
      images.push((await extracted(caller, id)).ocr?.images_used);
    }

    expect(images).toEqual([1, 0, 0]);
    await expectBalanced([caller]);
  });

  it('of a long text are looked for page by page', async () => {
    const caller = await world.newCaller();
    answer({ shade: { value: 'blue', quote: 'The door is blue', page: 3 } });
    const long = `${'Nothing of note.\n'.repeat(800)}The door is blue.`;

    const id = await submit(caller, long, { example });
    const { coverage, evidence } = await extracted(caller, id);

    expect(coverage.pages).toHaveLength(3);
    expect(evidence).toMatchObject([{ found: 'exact', page: 3 }]);
  });

  it('of a document that is taken apart come from its text', async () => {
    const caller = await world.newCaller();
    answer({ shade: { value: 'blue', quote: 'blue', page: 1 } });
    const data = Buffer.from('<p>The door is <b>blue</b>.</p>').toString('base64');
    const file = { filename: 'door.html', file_data: `data:text/html;base64,${data}` };
    const inline = { messages: [{ role: 'user', content: [{ type: 'file', file }] }] };

    const { id } = await world.submit(caller, { job_type: 'chat', inline, extract: { example } });
    const { data: fields, coverage } = await extracted(caller, id);

    expect(fields).toEqual({ shade: 'blue' });
    expect(coverage.pages).toMatchObject([{ page: 1, part: 'door.html', status: 'used' }]);
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
