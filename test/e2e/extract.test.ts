import { expect, it } from 'vitest';
import type { ExtractResult } from '../../shared/jobs/results/result.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { scanOf } from '../support/fixtures/scans.ts';
import { submit, until } from '../support/servers/api.ts';
import { endedCharges, useChatStage } from '../support/servers/chat-stage.ts';

const chat = await useChatStage();

const invoice = `Invoice 2041-77

Harbour Supplies Limited, Eastern Quay, delivered the goods named below on the third of March.

The total to be paid is 1,184.50 within thirty days.`;

const schema = {
  type: 'object',
  properties: { number: { type: 'string' }, total: { type: 'number' }, iban: { type: 'string' } },
};

/** It quotes well twice, and invents the third. */
const answer = {
  number: { value: '2041-77', quote: 'Invoice 2041-77', page: 1 },
  total: { value: 1184.5, quote: 'The total to be paid is 1,184.50', page: 1 },
  iban: { value: 'DE89 3704', quote: 'IBAN DE89 3704', page: 1 },
};

const fileOf = (filename: string, type: string, bytes: Uint8Array) => ({
  type: 'file',
  file: { filename, file_data: `data:${type};base64,${Buffer.from(bytes).toString('base64')}` },
});

it.each([
  ['a scan', 'scan.jpg', 'image/jpeg', () => scanOf({ text: invoice, dpi: 150 }), 0],
  [
    'a scan that lies on its side',
    'side.jpg',
    'image/jpeg',
    () => scanOf({ text: invoice, dpi: 150, turnDegrees: 90 }),
    270,
  ],
  ['a text layer', 'layer.pdf', 'application/pdf', () => pdfOf([{ text: invoice }]), undefined],
] as const)(
  'fields of %s come with their places on the page',
  async (_, name, type, made, turn) => {
    const caller = await chat.newAccount();
    const content = JSON.stringify(answer);
    const { id: model } = chat.newModel('plain', { kind: 'answer', content });
    const messages = [{ role: 'user', content: [fileOf(name, type, await made())] }];

    const { id, extract } = await submit(caller, {
      job_type: 'chat',
      model,
      inline: { messages },
      extract: { schema, require_evidence: true },
    });
    const { status, result, error } = await until(caller, id);

    expect({ status, error }).toEqual({ status: 'done', error: null });
    expect(extract).toMatchObject({ schema, require_evidence: true });
    const { data, evidence, coverage, ocr, cost_usd } = result as ExtractResult;
    expect(data).toEqual({ number: '2041-77', total: 1184.5, iban: null });
    const placed = Object.fromEntries(evidence.map((each) => [each.path, each]));
    expect(placed['/iban']).toMatchObject({ found: 'not found', page: null, boxes: [] });
    expect(placed['/number']).toMatchObject({ page: 1, boxes: [expect.any(Array)] });
    // The number stands at the head of the page, the total below it.
    const [, top = 0, , bottom = 1000] = placed['/number']?.boxes[0] ?? [];
    expect(top).toBeGreaterThan(30);
    expect(bottom).toBeLessThan(150);
    expect(placed['/total']?.boxes[0]?.[1]).toBeGreaterThan(bottom);
    expect(coverage.pages).toEqual([
      { page: 1, part: name, status: 'used', ...(turn && { turn }) },
    ]);
    expect(ocr?.images_used).toBe(turn === undefined ? 0 : 1);
    const charged = (await endedCharges(caller)).reduce((sum, { cost = 0 }) => sum + cost, 0);
    expect(charged).toBe(Math.round(cost_usd * 1e9));
  },
);
