import { expect, it } from 'vitest';
import { readAttached } from '../../shared/documents/attached/read-attached.ts';
import { rtfOf } from '../support/fixtures/common-documents.ts';
import { rawPdf } from '../support/fixtures/poison.ts';
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

/** A hundred pages that take a twentieth of a second each. */
const slowPdf = () =>
  rawPdf(
    Array.from({ length: 100 }, () => linesPage(2_000)),
    [600, 12_000],
  );
