import type { ExtractResult, OcrResult } from '../../../../shared/jobs/results/result.ts';
import { count, counted } from '../../parts/format.ts';
import { buttonId, missingId, type View } from './marks.ts';
import { statusText } from './page-view.tsx';

/** The warnings to read before using a result. */
export function Warnings({ texts }: { texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <div class="refusal unsure">
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

/** The warnings from reading a document. */
export const warnedOf = ({ warnings = [] }: Pick<OcrResult, 'warnings'>) =>
  warnings.map(({ message, pages }) => `${message} Page ${pages.join(', ')}.`);

/** The warnings of an extraction. */
export const warningsOf = ({ coverage, windows, ocr }: ExtractResult): string[] => [
  ...coverage.pages.flatMap((page) =>
    page.status === 'failed' || page.status === 'left_out'
      ? `Page ${page.page}: ${statusText(page)}`
      : [],
  ),
  ...warnedOf({ warnings: (ocr?.warnings ?? []).filter(({ code }) => code !== 'page_failed') }),
  ...(windows.failed > 0
    ? [
        `For ${windows.failed} of ${counted(windows.total, 'part')} of the document the model gave no usable answer.`,
      ]
    : []),
];

/** Tells how the pages were read, and of rows that they have and the result hasn't. */
export function Coverage({ result, view }: { result: ExtractResult; view: View }) {
  const { coverage, ocr } = result;
  const { pages, arrays } = coverage;
  const empty = pages.filter(({ status }) => status === 'empty').length;
  const how = [
    counted(pages.length, 'page'),
    ocr && ocr.images_used > 0 && `${count(ocr.images_used)} by OCR`,
    ocr && ocr.images_used === 0 && 'text as it is in the file, or read before',
    empty > 0 && `${count(empty)} empty`,
  ];
  return (
    <section aria-labelledby="coverage">
      <h3 id="coverage">How it was read</h3>
      <p>{how.filter(Boolean).join(', ')}.</p>
      {arrays.map((array) => (
        <Rows key={array.path} array={array} view={view} />
      ))}
    </section>
  );
}

function Rows({ array, view }: { array: ExtractResult['coverage']['arrays'][number]; view: View }) {
  const { path, returned, on_pages, missing } = array;
  const isOff = on_pages !== null && on_pages !== returned;
  return (
    <>
      <p class={isOff ? 'problem' : ''}>
        {path.slice(1)}: {counted(returned, 'row')}
        {isOff
          ? `, but the pages show ${count(on_pages)}`
          : on_pages === null
            ? '; the rows of the pages can’t be counted'
            : ', as many as the pages show'}
        {missing.length > 0 ? '. Missing:' : '.'}
      </p>
      {missing.length > 0 && (
        <ul class="value-list" aria-label={`Rows that ${path.slice(1)} lacks`}>
          {missing.map(({ page, text }, index) => {
            const id = missingId(path, index);
            return (
              <li key={id}>
                <button
                  type="button"
                  id={buttonId({ id, place: 'own' })}
                  class="value not-found"
                  aria-pressed={view.picked?.id === id}
                  onClick={() => view.pick({ id, place: 'own', on: 'values' })}
                >
                  <q>{text}</q> <small class="where">page {page}</small>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
