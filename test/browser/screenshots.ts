/**
 * Draws the console's pictures in `.github/images/`: `npm run screenshots`. They show a stage of its own, with documents that
 * are made here and a model that knows them.
 */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import binary from '@sparticuz/chromium';
import { chromium, type Page } from 'playwright-core';
import { loadVips } from '../../shared/documents/vips.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { scanOf } from '../support/fixtures/scans.ts';
import { call, chatJob, submit, until } from '../support/servers/api.ts';
import { completionBody, type ModelRequestBody } from '../support/servers/model-stub-body.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { newDataDir, startTestStage } from '../support/servers/stage.ts';

const images = fileURLToPath(new URL('../../.github/images/', import.meta.url));

interface Invoice {
  number: string;
  seller: string;
  date: string;
  total: number;
  lines: [item: string, amount: number][];
}

const invoices: Invoice[] = [
  {
    ...{ number: '2041-77', seller: 'Harbour Supplies Ltd', date: '3 March 2026', total: 1184.5 },
    lines: [
      ['Valve DN50', 120],
      ['Pump head', 1000],
      ['Gasket set', 64.5],
    ],
  },
  {
    ...{ number: '2041-91', seller: 'Northgate Timber', date: '11 March 2026', total: 412 },
    lines: [
      ['Oak board 28 mm', 260],
      ['Planing', 152],
    ],
  },
  {
    ...{ number: 'K-3318', seller: 'Eastern Quay Crane Hire', date: '19 March 2026', total: 890 },
    lines: [['Mobile crane, two days', 890]],
  },
];

const money = (amount: number) => amount.toFixed(2);

const pdfOfInvoice = ({ number, seller, date, total, lines }: Invoice) =>
  pdfOf([
    {
      lines: [
        { text: seller, x: 64, y: 80 },
        { text: 'Invoice', x: 64, y: 130 },
        { text: number, x: 130, y: 130 },
        { text: `Of ${date}`, x: 64, y: 156 },
        ...lines.flatMap(([item, amount], index) => [
          { text: item, x: 64, y: 200 + 26 * index },
          { text: money(amount), x: 430, y: 200 + 26 * index },
        ]),
        { text: `To be paid within thirty days: ${money(total)}`, x: 64, y: 330 },
      ],
    },
  ]);

/** What the model takes from an invoice: each value with the words that prove it. An order number stands nowhere. */
const fieldsOf = ({ number, seller, date, total, lines }: Invoice) => ({
  number: { value: number, quote: number, page: 1 },
  seller: { value: seller, quote: seller, page: 1 },
  date: { value: date, quote: date, page: 1 },
  order: { value: 'PO 5512', quote: 'PO 5512', page: 1 },
  total: { value: total, quote: money(total), page: 1 },
  lines: lines.map(([item, amount]) => ({
    ...{ page: 1, quote: `${item} ${money(amount)}`, item, amount },
  })),
});

const example = {
  ...{ number: '1', seller: 'A', date: '1 May 2026', order: 'PO 1', total: 1.5 },
  lines: [{ item: 'A', amount: 1.5 }],
};

const model = createServer(async (request, response) => {
  const body = (await json(request)) as ModelRequestBody;
  const asked = JSON.stringify(body.messages);
  const invoice = invoices.find(({ number }) => asked.includes(number));
  const content = invoice
    ? JSON.stringify(fieldsOf(invoice))
    : 'Two valves were cracked. They were **replaced within a week**.';
  const type = body.stream ? 'text/event-stream' : 'application/json';
  response.writeHead(200, { 'content-type': type }).end(completionBody(body, { content }));
});
await once(model.listen(0, '127.0.0.1'), 'listening');

const dataDir = newDataDir();
await putDocuments(join(dataDir, 'drive'));
const stage = await startTestStage({
  dataDir,
  args: ['--model', 'gpt-5-mini=0.25,2'],
  env: {
    OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    OPENAI_API_KEY: 'x',
  },
});
try {
  const caller = await newCaller(
    { base_url: stage.base_url, dataDir },
    { budget_usd: 25, duration: '1mo', drive_folders: ['local-drive'], images_per_hour: 500 },
  );
  const question = await submit(caller, chatJob('What became of the cracked valves?'));
  const folder = await submit(caller, {
    ...{ job_type: 'ocr', drive: { folder_id: 'local-drive' }, extract: { example } },
  });
  await Promise.all([question, folder].map(({ id }) => until(caller, id)));
  const { body } = await call<{ jobs: { id: string; filename: string }[] }>(
    ...([caller, 'GET', `/batch/jobs?parent_job_id=${folder.id}`] as const),
  );
  const invoice = body.jobs.find(({ filename }) => filename.startsWith('invoice-2041-77'))?.id;

  const browser = await chromium.launch({
    executablePath: await binary.executablePath(),
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu'],
  });
  const viewport = { width: 1280, height: 860 };
  const page = await browser.newPage({ viewport, locale: 'en-US', reducedMotion: 'reduce' });
  page.setDefaultTimeout(180_000);
  await page.goto(`${stage.base_url}/console#key=${caller.api_key}`);
  await page.locator('.tree ul .row').first().waitFor();
  await page.locator('.plot').waitFor();
  await draw(page, 'console.png');
  await page.goto(`${stage.base_url}/console#/jobs/${invoice}`);
  await page.getByAltText('Page 1').waitFor();
  await page
    .getByRole('button', { name: /^total/ })
    .first()
    .click();
  await page.evaluate(() => window.scrollTo(0, 0));
  await draw(page, 'evidence.png');
  await browser.close();
} finally {
  await stage.close();
  model.close();
}

async function putDocuments(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const invoice of invoices.slice(0, 2)) {
    writeFileSync(join(folder, `invoice-${invoice.number}.pdf`), await pdfOfInvoice(invoice));
  }
  const scanned = invoices.at(-1) as Invoice;
  const { seller, number, date, lines, total } = scanned;
  const text = [
    seller,
    `Invoice ${number}, ${date}`,
    ...lines.map(([item, amount]) => `${item} ${money(amount)}`),
    `To be paid ${money(total)}`,
  ];
  writeFileSync(
    join(folder, 'scan-of-crane-hire.jpg'),
    await scanOf({ text: text.join('\n\n'), dpi: 150 }),
  );
  writeFileSync(join(folder, 'broken.pdf'), '%PDF-1.7 and nothing more');
}

/** Writes what is seen as a PNG of few colours, which is a tenth as long. */
async function draw(page: Page, name: string): Promise<void> {
  await page.locator('.skeleton').waitFor({ state: 'detached' });
  const vips = await loadVips();
  const image = vips.Image.newFromBuffer(await page.screenshot());
  const png = image.pngsaveBuffer({ palette: true, effort: 10, dither: 0 });
  mkdirSync(images, { recursive: true });
  writeFileSync(join(images, name), png);
  console.log(`${name}: ${Math.round(png.length / 1000)} KB`);
}
