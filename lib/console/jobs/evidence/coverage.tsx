import type { ExtractResult } from '../../../../shared/jobs/results/result.ts';
import { count, counted } from '../../parts/format.ts';
import { missingId } from './marks.ts';
import { statusText } from './page-view.tsx';
import { buttonId, type View } from './picking.ts';

type Covered = ExtractResult['coverage'];

/** Tells of each page that was not used, and of rows that the pages have and the result hasn't. */
export function Coverage({ coverage, view }: { coverage: Covered; view: View }) {
  const { pages, arrays } = coverage;
  const others = pages.filter(({ status }) => status !== 'used');
  const used = pages.length - others.length;
  return (
    <section aria-labelledby="coverage">
      <h3 id="coverage">Coverage</h3>
      <p>
        {others.length === 0
          ? `All ${counted(pages.length, 'page')} used.`
          : `${count(used)} of ${counted(pages.length, 'page')} used.`}
      </p>
      {others.length > 0 && (
        <ul>
          {others.map((page) => (
            <li key={page.page}>
              Page {page.page}: {statusText(page)}
            </li>
          ))}
        </ul>
      )}
      {arrays.map((array) => (
        <Rows key={array.path} array={array} view={view} />
      ))}
    </section>
  );
}

function Rows({ array, view }: { array: Covered['arrays'][number]; view: View }) {
  const { path, returned, on_pages, missing } = array;
  return (
    <>
      <p class={on_pages !== null && on_pages !== returned ? 'problem' : ''}>
        {path.slice(1)}: {counted(returned, 'row')} returned,{' '}
        {on_pages === null ? 'not countable on the pages' : `${count(on_pages)} on the pages`}
        {missing.length > 0 && '; missing:'}
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
