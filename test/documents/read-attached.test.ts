import { expect, it } from 'vitest';
import { readAttached } from '../../shared/documents/attached/read-attached.ts';
import { rtfOf } from '../support/fixtures/common-documents.ts';
import { rawPdf } from '../support/fixtures/poison.ts';
import { busyFor } from './busy-processes.ts';
import { linesPage } from './lines-page.ts';

const attached = (name: string, bytes: Uint8Array | string) => ({
  name,
  mimeType: '',
  base64: Buffer.from(bytes).toString('base64'),
});

const tooSlow = { unreadable: "The document can't be read: it takes too long to read." };

it.each([
  ['a PDF whose pages take long', 'a.pdf', () => slowPdf()],
  ['a document that is taken apart for long', 'a.rtf', () => rtfOf('{a}'.repeat(3_000_000))],
])(
  '%s is given up when the time for all of it is up, and the next file is read',
  async (_, name, bytes) => {
    const slow = attached(name, bytes());

    const reading = await readAttached(slow, 500);

    expect(reading).toEqual(tooSlow);
    expect(await readAttached(attached('b.rtf', rtfOf('next')))).toEqual({ text: 'next' });
  },
);

it('the time for a file begins with its turn, which it may wait for as long as the function has', async () => {
  const slow = attached('a.rtf', rtfOf('{a}'.repeat(12_000_000)));
  const next = attached('b.rtf', rtfOf('next'));

  const reading = readAttached(slow, 4_000);
  await busyFor(0.5, 'take-apart-process');
  const [given, read, late] = await Promise.allSettled([
    reading,
    readAttached(next, 3_000),
    readAttached(next, 3_000, 1_000),
  ]);

  expect(given).toMatchObject({ value: tooSlow });
  expect(read).toMatchObject({ value: { text: 'next' } });
  expect(late).toMatchObject({ reason: { name: 'TimeoutError' } });
});

/** A hundred pages that take a twentieth of a second each. */
const slowPdf = () =>
  rawPdf(
    Array.from({ length: 100 }, () => linesPage(2_000)),
    [600, 12_000],
  );
