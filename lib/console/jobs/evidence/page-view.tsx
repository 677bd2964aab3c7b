import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ExtractResult } from '../../../../shared/jobs/results/result.ts';
import { Failure } from '../../api/failure.ts';
import { Failed } from '../../parts/failed.tsx';
import type { Mark, View } from './marks.ts';
import { usePagePicture } from './page-picture.ts';
import { TextSheet } from './text-sheet.tsx';

type CoveredPage = ExtractResult['coverage']['pages'][number];

export interface PageViewProps {
  jobId: string;
  covered: CoveredPage;
  marks: Mark[];
  view: View;
  pane: RefObject<HTMLElement | null>;
  onDrawn: (() => void) | undefined;
}

/** A page as it is drawn, upright, with what was found on it marked; or its text; or, if it is gone, what is quoted of it. */
export function PageView({ jobId, covered, marks, view, pane, onDrawn }: PageViewProps) {
  const frame = useRef<HTMLElement>(null);
  const { url, text, failure, reload } = usePagePicture(jobId, covered.page, frame, pane);
  const title = `Page ${covered.page}`;
  return (
    <figure ref={frame} aria-label={title}>
      <figcaption>
        {title}
        {covered.part && <small> of {covered.part}</small>}
        {covered.status !== 'used' && <small class="problem"> {statusText(covered)}</small>}
      </figcaption>
      {failure ? (
        <Unpictured failure={failure} reload={reload} marks={marks} view={view} />
      ) : text !== undefined ? (
        <TextSheet text={text} marks={marks} view={view} onDrawn={onDrawn} />
      ) : (
        <Sheet
          url={url}
          title={title}
          turn={covered.turn ?? 0}
          marks={marks}
          view={view}
          onDrawn={onDrawn}
        />
      )}
    </figure>
  );
}

/** Says why a page was not used. */
export function statusText({ status, reason }: CoveredPage): string {
  const words = { used: 'used', empty: 'empty', failed: 'not read', left_out: 'left out' }[status];
  return reason ? `${words}: ${reason}` : words;
}

interface SheetProps extends Pick<PageViewProps, 'marks' | 'view' | 'onDrawn'> {
  url: string | undefined;
  title: string;
  turn: number;
}

/** A sheet of A4, until the page's own size is known. */
const usualSize = { width: 1, height: Math.SQRT2 };

function Sheet({ url, title, turn, marks, view, onDrawn }: SheetProps) {
  const [lying, setLying] = useState<{ width: number; height: number }>();
  const { width, height } = lying ?? usualSize;
  const isOnSide = turn % 180 !== 0 && lying !== undefined;
  useLayoutEffect(() => {
    if (lying) onDrawn?.();
  }, [lying]);
  return (
    <div
      class={`sheet ${lying ? '' : 'waiting'}`}
      style={{ aspectRatio: isOnSide ? `${height} / ${width}` : `${width} / ${height}` }}
    >
      {url && (
        <img
          src={url}
          alt={title}
          // The picture is turned about its middle, which is the sheet's.
          style={{
            width: isOnSide ? `${(width / height) * 100}%` : '100%',
            transform: `translate(-50%, -50%) rotate(${turn}deg)`,
          }}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setLying({ width: naturalWidth, height: naturalHeight })
          }
        />
      )}
      {marks.flatMap(({ boxes, ...mark }) =>
        boxes.map((box, index) => (
          <MarkButton
            key={`${mark.id} ${box.join()}`}
            {...{ mark, view }}
            isFirst={index === 0}
            style={placed(box)}
          />
        )),
      )}
    </div>
  );
}

const placed = ([left = 0, top = 0, right = 0, bottom = 0]: number[]) => ({
  left: `${left / 10}%`,
  top: `${top / 10}%`,
  width: `${(right - left) / 10}%`,
  height: `${(bottom - top) / 10}%`,
});

interface MarkButtonProps {
  mark: Omit<Mark, 'boxes'>;
  view: View;
  isFirst: boolean;
  style: Record<string, string>;
}

/** A box over the words of a value. The keyboard stops at the first one of each. */
function MarkButton({ mark, view, isFirst, style }: MarkButtonProps) {
  const { id, place, label, standing } = mark;
  const isPicked = view.picked?.id === id;
  return (
    <button
      type="button"
      class={`box ${standing.replace(' ', '-')}`}
      aria-label={label}
      aria-pressed={isPicked}
      title={label}
      data-mark={isFirst ? id : undefined}
      tabIndex={isFirst ? 0 : -1}
      style={style}
      onClick={() => view.pick({ id, place, on: 'pages' })}
    />
  );
}

interface UnpicturedProps extends Pick<PageViewProps, 'marks' | 'view'> {
  failure: Error;
  reload(): void;
}

/** A page without a picture: why, and the words that were quoted of it. */
function Unpictured({ failure, reload, marks, view }: UnpicturedProps) {
  const hasNone = failure instanceof Failure && failure.status === 404;
  return (
    <>
      {hasNone ? <p class="empty">{failure.message}</p> : <Failed error={failure} retry={reload} />}
      <ul class="quotes">
        {marks
          .filter(({ quote }) => quote !== null)
          .map(({ id, place, quote, label }) => (
            <li key={id}>
              <button
                type="button"
                class="value"
                data-mark={id}
                aria-pressed={view.picked?.id === id}
                onClick={() => view.pick({ id, place, on: 'pages' })}
              >
                <q>{quote}</q> <small>{label}</small>
              </button>
            </li>
          ))}
      </ul>
    </>
  );
}
