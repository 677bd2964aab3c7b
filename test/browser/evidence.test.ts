import { text } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { loadVips } from '../../shared/documents/vips.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { scanOf } from '../support/fixtures/scans.ts';
import { call, submit, type Target, until } from '../support/servers/api.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { useConsole } from './use-console.ts';

const { newAccount, newModel } = await useChatStage();
const { open } = await useConsole();

const schema = {
  type: 'object',
  properties: {
    number: { type: 'string' },
    total: { type: 'number' },
    iban: { type: 'string' },
    paid: { type: 'boolean' },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { item: { type: 'string' }, amount: { type: 'number' } },
      },
    },
  },
};

/** It quotes well twice, invents an IBAN, and skips a row. */
const answer = {
  number: { value: '2041-77', quote: '2041-77', page: 1 },
  total: { value: 1184.5, quote: '1,184.50', page: 2 },
  iban: { value: 'DE89 3704', quote: 'IBAN DE89 3704', page: 1 },
  paid: { value: null, quote: null, page: null },
  lines: [
    { page: 1, quote: 'Valve DN50 120.00', item: 'Valve DN50', amount: 120 },
    { page: 1, quote: 'Gasket set 64.50', item: 'Gasket set', amount: 64.5 },
  ],
};

const points = { width: 595.28, height: 841.89 };
const at = { number: { x: 300, y: 90 }, total: { x: 380, y: 500 } };

const invoice = () =>
  pdfOf([
    {
      lines: [
        { text: 'Invoice', x: 64, y: 90 },
        { text: '2041-77', ...at.number },
        ...['Valve DN50 120.00', 'Pump head 1000.00', 'Gasket set 64.50'].map((text, index) => ({
          text,
          x: 64,
          y: 200 + 40 * index,
        })),
      ],
    },
    {
      lines: [
        { text: 'To be paid', x: 64, y: 500 },
        { text: '1,184.50', ...at.total },
      ],
    },
  ]);

/** Has the fields of a document extracted by a model that gives these answers. */
async function extracted(
  caller: Target,
  [filename, type, bytes]: [string, string, Uint8Array],
  answers: object = answer,
): Promise<string> {
  const model = newModel('plain', { kind: 'answer', content: JSON.stringify(answers) });
  const file_data = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  const content = [{ type: 'file', file: { filename, file_data } }];
  const { id } = await submit(caller, {
    job_type: 'chat',
    model: model.id,
    inline: { messages: [{ role: 'user', content }] },
    extract: { schema },
  });
  expect(await until(caller, id)).toMatchObject({ status: 'done', error: null });
  return id;
}

/** Where a box stands on its sheet, in per mille. */
async function placeOf(box: Locator) {
  const sheet = box.locator('xpath=ancestor::*[contains(@class, "sheet")]');
  const [inner, outer] = [await box.boundingBox(), await sheet.boundingBox()];
  if (!inner || !outer) throw new Error('it is not drawn');
  return {
    left: ((inner.x - outer.x) / outer.width) * 1000,
    top: ((inner.y - outer.y) / outer.height) * 1000,
    right: ((inner.x + inner.width - outer.x) / outer.width) * 1000,
    bottom: ((inner.y + inner.height - outer.y) / outer.height) * 1000,
  };
}

/** How dark the drawn page is on average, from 0 to 255: within a box, and in as much of it right below. */
async function inkAt(page: Page, box: Locator): Promise<{ within: number; below: number }> {
  const area = await box.boundingBox();
  if (!area) throw new Error('it is not drawn');
  const shown = (visibility: string) =>
    page.evaluate((to) => {
      for (const each of document.querySelectorAll<HTMLElement>('.box')) each.style.visibility = to;
    }, visibility);
  await shown('hidden');
  const vips = await loadVips();
  const darkness = async (y: number) => {
    const image = await page.screenshot({ clip: { ...area, y } });
    return 255 - vips.Image.newFromBuffer(image).extractBand(0).avg();
  };
  const ink = { within: await darkness(area.y), below: await darkness(area.y + area.height) };
  await shown('');
  return ink;
}

const boxOf = (page: Page, name: RegExp) =>
  page.getByRole('region', { name: 'Pages' }).getByRole('button', { name }).first();

/** Waits until the picture of a page is seen. */
const drawn = (page: Page, number: number) => page.getByAltText(`Page ${number}`).waitFor();

describe('fields of a document', () => {
  it('are marked where they stand on its pages, those not found on top', async () => {
    const caller = await newAccount();
    const id = await extracted(caller, ['invoice.pdf', 'application/pdf', await invoice()]);
    const page = await open(caller, { at: `jobs/${id}` });
    await drawn(page, 1);

    const place = await placeOf(boxOf(page, /^number: /));
    expect(Math.abs(place.left - (at.number.x / points.width) * 1000)).toBeLessThan(12);
    expect(Math.abs(place.top - (at.number.y / points.height) * 1000)).toBeLessThan(12);
    const ink = await inkAt(page, boxOf(page, /^number: /));
    expect(ink.within).toBeGreaterThan(20);
    expect(ink.below).toBeLessThan(2);

    const values = page.locator('.values button.value');
    expect(await values.first().innerText()).toMatch(/iban.*DE89 3704.*not found/s);
    const names = await page.locator('.values .name').allInnerTexts();
    expect(names.map((name) => name.trim())).toEqual(['iban', 'number', 'total', 'paid']);
    await page.getByRole('row', { name: /2 Gasket set 64\.5/ }).waitFor();
    await page.getByText('2 pages, text as it is in the file').waitFor();
    await page.getByText('lines: 2 rows, but the pages show 3. Missing:').waitFor();
    await page.getByRole('button', { name: /Pump head 1000\.00.*page 1/ }).waitFor();
  });

  it('lead to their boxes, and boxes to them', async () => {
    const caller = await newAccount();
    const id = await extracted(caller, ['invoice.pdf', 'application/pdf', await invoice()]);
    const page = await open(caller, { at: `jobs/${id}` });
    const box = boxOf(page, /^total: /);

    await page
      .getByRole('button', { name: /^total/ })
      .first()
      .focus();
    await page.keyboard.press('Enter');

    await drawn(page, 2);
    await expect.poll(() => box.getAttribute('aria-pressed')).toBe('true');
    const isSeen = () =>
      box.evaluate((element) => {
        const [inner, outer] = [element, element.closest('.pages') ?? element].map((each) =>
          each.getBoundingClientRect(),
        );
        return inner && outer && inner.top >= outer.top && inner.bottom <= outer.bottom;
      });
    await expect.poll(isSeen).toBe(true);
    const place = await placeOf(box);
    expect(Math.abs(place.left - (at.total.x / points.width) * 1000)).toBeLessThan(12);
    expect(Math.abs(place.top - (at.total.y / points.height) * 1000)).toBeLessThan(12);

    await boxOf(page, /^lines 2 · item: /).click();

    const cell = page.getByRole('cell').getByRole('button', { name: 'Gasket set' });
    expect(await cell.getAttribute('aria-expanded')).toBe('true');
    expect(await cell.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByRole('form', { name: 'Correct lines 2 · item' }).waitFor();
  });

  it('of a scan that lies on its side are marked on the page upright', async () => {
    const letter = `Invoice 2041-77

Harbour Supplies Limited, Eastern Quay, delivered the goods named below on the third of March.

The total to be paid is 1,184.50 within thirty days.`;
    const scan = await scanOf({ text: letter, dpi: 150, turnDegrees: 90 });
    const caller = await newAccount();
    const answers = {
      ...answer,
      total: { value: 1184.5, quote: 'The total to be paid is 1,184.50', page: 1 },
      lines: [],
    };
    const id = await extracted(caller, ['side.jpg', 'image/jpeg', scan], answers);
    const page = await open(caller, { at: `jobs/${id}` });
    await drawn(page, 1);

    const sheet = await page.locator('.sheet').boundingBox();
    expect((sheet?.height ?? 0) / (sheet?.width ?? 1)).toBeCloseTo(Math.SQRT2, 1);
    for (const name of [/^number: /, /^total: /]) {
      const ink = await inkAt(page, boxOf(page, name));
      expect(ink.within).toBeGreaterThan(ink.below + 15);
    }
  });

  it('are corrected and confirmed in place, which stays, and is downloaded', async () => {
    const caller = await newAccount();
    const id = await extracted(caller, ['invoice.pdf', 'application/pdf', await invoice()]);
    const page = await open(caller, { at: `jobs/${id}` });

    await page.getByRole('button', { name: /^iban/ }).click();
    await page.getByLabel('The document doesn’t give it').check();
    await page.getByRole('button', { name: 'Save correction' }).click();
    await page.getByText('Saved').waitFor();
    await page
      .getByRole('button', { name: /^total/ })
      .first()
      .click();
    await page.getByLabel('Right value').fill('much');
    await page.getByRole('button', { name: 'Save correction' }).click();
    await page.getByText('It takes a number').waitFor();
    await page.getByLabel('Right value').fill('1184.05');
    await page.getByRole('button', { name: 'Save correction' }).click();
    await page.getByText('Saved').waitFor();
    await page
      .getByRole('button', { name: /^number/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Confirm as extracted' }).click();
    await page.getByText('Saved').waitFor();
    const listed = () => call<{ feedback: object[] }>(caller, 'GET', `/feedback?session_id=${id}`);
    await expect.poll(async () => (await listed()).body.feedback.length).toBe(3);
    const again = await open(caller, { at: `jobs/${id}` });

    await again.getByRole('button', { name: /^total 1184\.5 corrected to 1184\.05/ }).waitFor();
    await again.getByRole('button', { name: /^iban DE89 3704 corrected to —/ }).waitFor();
    await again.getByRole('button', { name: /^number 2041-77 .*confirmed/ }).waitFor();
    const download = again.waitForEvent('download');
    await again.getByRole('button', { name: 'Download corrections (3)' }).click();
    const file = JSON.parse(await text(await (await download).createReadStream()));
    expect(file).toMatchObject({
      job_id: id,
      data: { number: '2041-77', total: 1184.05, iban: null },
    });
    expect(file.corrections).toEqual([
      {
        path: '/number',
        extracted: '2041-77',
        correct: '2041-77',
        is_right: true,
        found: 'exact',
        page: 1,
      },
      {
        path: '/total',
        extracted: 1184.5,
        correct: 1184.05,
        is_right: false,
        found: 'normalized',
        page: 2,
      },
      {
        path: '/iban',
        extracted: 'DE89 3704',
        correct: null,
        is_right: false,
        found: 'not found',
        page: null,
      },
    ]);
    expect((await listed()).body.feedback).toContainEqual(
      expect.objectContaining({ message_id: '/total', rating: 'down', correction: '1184.05' }),
    );
  });

  it('of a text are marked in it, however it is spaced there', async () => {
    const caller = await newAccount();
    const written = 'Invoice 2041-77\n\nTo be\n paid:  1,184.50, by <b>Monday</b>.\n';
    const total = { value: 1184.5, quote: 'To be paid: 1,184.50', page: 1 };
    const id = await extracted(caller, ['invoice.txt', 'text/plain', Buffer.from(written)], {
      ...answer,
      total,
      lines: [],
    });
    const page = await open(caller, { at: `jobs/${id}` });

    const sheet = page.locator('.text-sheet');
    await sheet.waitFor();
    expect(await sheet.evaluate((element) => element.textContent)).toBe(written);
    const marks = sheet.getByRole('button');
    expect(await marks.evaluateAll((all) => all.map(({ textContent }) => textContent))).toEqual([
      '2041-77',
      'To be\n paid:  1,184.50',
    ]);
    await marks.last().click();
    const value = page.getByRole('button', { name: /^total/ });
    await expect.poll(() => value.getAttribute('aria-expanded')).toBe('true');
    await marks.first().press('Enter');
    await expect.poll(() => marks.first().getAttribute('aria-pressed')).toBe('true');
  });

  it('are beside the same pages on the page of the step that took them', async () => {
    const caller = await newAccount();
    const id = await extracted(caller, ['invoice.pdf', 'application/pdf', await invoice()]);
    const path = `/batch/jobs?parent_job_id=${id}`;
    const { body } = await call<{ jobs: { id: string }[] }>(caller, 'GET', path);
    const page = await open(caller, { at: `jobs/${body.jobs[0]?.id}` });

    await drawn(page, 1);
    await boxOf(page, /^number: /).waitFor();
    await page.getByRole('link', { name: 'invoice.pdf' }).waitFor();
    expect(await page.getByText('Something went wrong').count()).toBe(0);
  });

  it('stand below the pages on a phone, which cover none of them', async () => {
    const caller = await newAccount();
    const id = await extracted(caller, ['invoice.pdf', 'application/pdf', await invoice()]);
    const viewport = { width: 390, height: 844 };
    const page = await open(caller, { at: `jobs/${id}`, viewport });
    await drawn(page, 1);

    const pages = await page.getByRole('region', { name: 'Pages' }).boundingBox();
    const values = await page.locator('.values').boundingBox();
    expect((pages?.y ?? 0) + (pages?.height ?? 0)).toBeLessThanOrEqual(values?.y ?? 0);
    await page
      .getByRole('button', { name: /^total/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'See it on page 2' }).click();

    await expect
      .poll(async () => (await boxOf(page, /^total: /).boundingBox())?.y ?? -1)
      .toBeGreaterThan(0);
  });

  it('of a result too long for the page are seen once its file is chosen', async () => {
    const caller = await newAccount();
    const iban = { value: 'DE89 '.repeat(60_000), quote: 'DE89', page: 1 };
    const id = await extracted(caller, ['invoice.pdf', 'application/pdf', await invoice()], {
      ...answer,
      iban,
    });
    const page = await open(caller, { at: `jobs/${id}` });
    const link = page.getByRole('link', { name: /^Open the result/ });
    const url = (await link.getAttribute('href')) ?? '';
    const buffer = Buffer.from(await (await fetch(url)).bytes());
    const choose = page.getByLabel(/choose that/);

    await choose.setInputFiles({
      name: 'other.json',
      mimeType: 'text/plain',
      buffer: Buffer.from('{}'),
    });
    await page.getByText('The file is no result of an extraction.').waitFor();
    await choose.setInputFiles({ name: 'whole.json', mimeType: 'text/plain', buffer });

    await drawn(page, 1);
    await boxOf(page, /^number: /).waitFor();
  });
});
