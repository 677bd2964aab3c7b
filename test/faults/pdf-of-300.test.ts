import fc from 'fast-check';
import { expect, it } from 'vitest';
import { handler as resetOcrWindows } from '../../functions/reset-ocr-windows.ts';
import { leaseMs } from '../../shared/jobs/engine/item/job.ts';
import type { OcrResult } from '../../shared/jobs/results/result.ts';
import { reportLimits } from '../../shared/keys/limits-report.ts';
import { hourOf } from '../../shared/ledger/images-hour.ts';
import { type SmallPage, smallPdf, words } from '../support/fixtures/small-documents.ts';
import { cases } from '../support/run/cases.ts';
import { hourMs, pass, useFreshHour } from '../support/worlds/clock.ts';
import { expectPaid } from '../support/worlds/document-use.ts';
import { useDocumentWorld } from '../support/worlds/document-world.ts';
import { runKilled, upTo } from '../support/worlds/killed-workers.ts';
import { chargesOf } from '../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();

const pageCount = cases(60, 300);
const scans = pageCount / 10;
/** Each tenth page is a scan, of a grey that says which; the last of a part and the first of the next too. */
const greyOf = (page: number) => (page % 10 === 0 ? 10 * (((page / 10) % 24) + 1) : undefined);
const pages = upTo(pageCount).map((at): SmallPage => {
  const grey = greyOf(at + 1);
  return grey ? { grey } : { words: words(at + 1) };
});

const pdf = await smallPdf(pages);

useFreshHour();

const misfortune = fc.record({
  /** The request before which the nth worker of a document dies, of those that die. */
  deaths: fc.array(fc.nat(80), { minLength: cases(4, 10), maxLength: cases(6, 20) }),
  throttles: fc.nat(3),
  images_per_hour: fc.integer({ min: cases(2, 7), max: cases(4, 16) }),
});

const runs = cases(1, 2);
let documents = 0;

it('many pages come out once each, whatever is killed, throttled or stopped on the way', async () => {
  const drive = { file_id: await world.add('many-pages.pdf', pdf) };

  await fc.assert(
    fc.asyncProperty(misfortune, async ({ deaths, throttles, images_per_hour }) => {
      documents += 1;
      const caller = await world.newCaller({ images_per_hour });
      const submission = { job_type: 'ocr', drive, max_retries: 10 };
      const { id } = await world.submit(caller, submission);
      if (throttles > 0)
        await world.failTextract({ times: throttles, every: 3, type: 'ThrottlingException' });

      for (const left = [...deaths]; ; ) {
        const { status } = await world.read(caller, id);
        if (status === 'done' || status === 'failed') break;
        const { ocr } = await reportLimits(caller);
        expect(ocr.used_this_hour).toBeLessThanOrEqual(images_per_hour);
        await world.dispatch();
        const killed = await runKilled('ocr', left.splice(0, 4));
        pass(killed > 0 ? leaseMs + 1_000 : hourMs);
        if (killed === 0) await resetOcrWindows();
        await (left.length > 0 ? world.sweepOnly() : world.sweep());
      }

      const job = await world.read(caller, id);
      expect(job).toMatchObject({ status: 'done', error: null });
      const { pages: read, images_used } = job.result as OcrResult;
      expect(images_used).toBe(scans);
      expect(read.map(({ page, source }) => [page, source])).toEqual(
        upTo(pageCount).map((at) => [at + 1, greyOf(at + 1) ? 'ocr' : 'text_layer']),
      );
      for (const { page, text } of read) {
        const grey = greyOf(page);
        expect(text?.replace(/\s+/g, ' ')).toBe(grey ? `grey ${grey}` : words(page));
      }
      const hour = hourOf(Date.now());
      const settled = (await chargesOf(caller.keyId)).filter(
        (charge) => charge.status === 'settled',
      );
      const now = settled.filter(({ ended_at = '' }) => ended_at.startsWith(hour));
      expect((await reportLimits(caller)).ocr.used_this_hour).toBe(now.length);
      await expectPaid([caller], scans);
    }),
    { numRuns: runs },
  );

  expect(documents).toBe(runs);
});
