import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { ExtractResult } from '../../../../shared/jobs/results/result.ts';
import { Failed } from '../../parts/failed.tsx';
import { count } from '../../parts/format.ts';
import { Quiet } from '../../parts/quiet.tsx';
import { save } from '../../parts/save.ts';
import type { Job } from '../job.ts';
import { Coverage, Warnings, warningsOf } from './coverage.tsx';
import { type Mark, marksOf, usePicking, type View } from './marks.ts';
import { PageView } from './page-view.tsx';
import { correctionsFile, useCorrections } from './use-corrections.ts';
import { ValueButton } from './value-button.tsx';
import { ValueRows } from './value-rows.tsx';
import { doubtfulOf, standingOf, valuesOf } from './values.ts';

/** More of them are marked in their tables alone. */
const maxDoubtful = 50;

/** What was extracted from a document: its values beside its pages, on which they are marked. */
export function Fields({ job, result }: { job: Job; result: ExtractResult }) {
  const values = useMemo(() => valuesOf(result), [result]);
  const doubtful = useMemo(() => doubtfulOf(values), [values]);
  const top = doubtful.slice(0, maxDoubtful);
  const marks = useMemo(
    () => marksOf(values, result.coverage, new Set(top.map(({ path }) => path))),
    [values],
  );
  const corrections = useCorrections(job);
  const view: View = { ...usePicking(), corrections };
  const rest = values.single.filter((value) => ['proved', 'none'].includes(standingOf(value)));
  const download = () =>
    save(
      new Blob([correctionsFile(job, result.data, values, corrections.said)], {
        type: 'text/plain',
      }),
      `${job.filename ?? job.id}.corrections.json`,
    );

  return (
    <div class="fields">
      <div class="values">
        <div class="bar-of-choices">
          <p class="note">Pick a value to see where it stands, and to confirm or correct it.</p>
          {corrections.said.size > 0 && (
            <Quiet class="small" onClick={download}>
              Download corrections ({count(corrections.said.size)})
            </Quiet>
          )}
        </div>
        <Warnings texts={warningsOf(result)} />
        <Failed error={corrections.failure} retry={corrections.reload} />
        {top.length > 0 && (
          <section aria-labelledby="doubtful">
            <h3 id="doubtful">To be looked at</h3>
            <ul class="value-list">
              {top.map((value) => (
                <li key={value.path}>
                  <ValueButton value={value} place="top" view={view} />
                </li>
              ))}
            </ul>
            {doubtful.length > top.length && (
              <p class="note">
                {count(doubtful.length - top.length)} more are marked in the tables.
              </p>
            )}
          </section>
        )}
        {rest.length > 0 && (
          <section aria-labelledby="values">
            <h3 id="values">{top.length > 0 ? 'Other values' : 'Values'}</h3>
            <ul class="value-list">
              {rest.map((value) => (
                <li key={value.path}>
                  <ValueButton value={value} place="own" view={view} />
                </li>
              ))}
            </ul>
          </section>
        )}
        {values.tables.map((table) => (
          <ValueRows key={table.path} table={table} view={view} />
        ))}
        <Coverage result={result} view={view} />
      </div>
      <PageList jobId={job.id} pages={result.coverage.pages} marks={marks} view={view} />
    </div>
  );
}

interface PageListProps {
  jobId: string;
  pages: ExtractResult['coverage']['pages'];
  marks: Map<number, Mark[]>;
  view: View;
}

/** A document's pages, one under the other, which go to what is picked beside them. */
function PageList({ jobId, pages, marks, view }: PageListProps) {
  const pane = useRef<HTMLElement>(null);
  const { picked } = view;
  const goToPicked = () => {
    if (pane.current && picked) scrollToMark(pane.current, picked.id);
  };
  useLayoutEffect(() => {
    if (picked?.on === 'values') goToPicked();
  }, [picked]);
  return (
    <section
      class="pages"
      aria-label="Pages"
      ref={pane}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must take the focus
      tabIndex={0}
    >
      {pages.map((covered) => {
        const onPage = marks.get(covered.page) ?? [];
        const holdsPicked = onPage.some(({ id }) => id === picked?.id);
        return (
          <PageView
            key={covered.page}
            {...{ jobId, covered, pane, view, marks: onPage }}
            // Its height is known only now.
            onDrawn={holdsPicked ? goToPicked : undefined}
          />
        );
      })}
    </section>
  );
}

/** Scrolls the pages, and not what is around them, so that a mark stands in their middle. */
function scrollToMark(pane: HTMLElement, id: string): void {
  const mark = pane.querySelector(`[data-mark="${CSS.escape(id)}"]`);
  if (!mark) return;
  const [inner, outer] = [mark.getBoundingClientRect(), pane.getBoundingClientRect()];
  const middle = inner.top + inner.height / 2 - outer.top;
  pane.scrollBy(0, middle - outer.height / 2);
}
