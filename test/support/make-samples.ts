import { mkdirSync, writeFileSync } from 'node:fs';
import { pdfOf } from './pdfs.ts';
import { letters, minutes, notes, priceList, report } from './sample-texts.ts';
import { scanOf, tableImageOf } from './scans.ts';

// Makes the sample documents of the local Drive anew: node test/support/make-samples.ts

const folder = new URL('../../lib/local/drive/samples/', import.meta.url);

mkdirSync(folder, { recursive: true });
writeFileSync(
  new URL('two-column-scan.jpg', folder),
  await scanOf({ text: minutes, columns: 2, noise: 5, blur: 0.9, skewDegrees: 1, quality: 30 }),
);
writeFileSync(new URL('text-layer.pdf', folder), await pdfOf(letters.map((text) => ({ text }))));
const pages = await Promise.all(
  report.map(async ({ kind, text }) =>
    kind === 'scan' ? { scan: await scanOf({ text, dpi: 200, noise: 4, quality: 40 }) } : { text },
  ),
);
writeFileSync(new URL('mixed.pdf', folder), await pdfOf(pages));
writeFileSync(new URL('table.png', folder), await tableImageOf(priceList));
writeFileSync(new URL('notes.txt', folder), notes);
