import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ExtractResult } from '../../../../shared/jobs/results/result.ts';
import type { Mark, View } from './marks.ts';
import { PageView } from './page-view.tsx';

export interface PageListProps {
  jobId: string;
  pages: ExtractResult['coverage']['pages'];
  marks: Map<number, Mark[]>;
  view: View;
}

/** A document's pages, one under the other, which go to what is picked beside them. */
export function PageList({ jobId, pages, marks, view }: PageListProps) {
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
