import { useLayoutEffect } from 'preact/hooks';
import type { Mark, View } from './marks.ts';

export interface TextSheetProps {
  text: string;
  marks: Mark[];
  view: View;
  onDrawn: (() => void) | undefined;
}

/** A page that is text alone, with the words of its values marked. */
export function TextSheet({ text, marks, view, onDrawn }: TextSheetProps) {
  useLayoutEffect(() => onDrawn?.(), []);
  return <p class="text-sheet">{[...piecesOf(text, marks, view)]}</p>;
}

function* piecesOf(text: string, marks: Mark[], view: View) {
  let at = 0;
  for (const { mark, start, end } of placesIn(text, marks)) {
    // Where two values share words, the first value is marked.
    if (start < at) continue;
    yield text.slice(at, start);
    yield <Words key={mark.id} mark={mark} text={text.slice(start, end)} view={view} />;
    at = end;
  }
  yield text.slice(at);
}

function placesIn(text: string, marks: Mark[]) {
  return marks
    .flatMap((mark) => {
      const [start, end] = placeOf(mark.quote ?? '', text);
      return end > start ? [{ mark, start, end }] : [];
    })
    .sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Finds words in a text with any spaces and punctuation between. */
function placeOf(quote: string, text: string): [start: number, end: number] {
  const words = quote.match(/[\p{L}\p{N}]+/gu)?.join('[^\\p{L}\\p{N}]+');
  const found = words ? new RegExp(words, 'iu').exec(text) : null;
  return found ? [found.index, found.index + found[0].length] : [0, 0];
}

/** Words may go over several lines, which a button's can't. */
function Words({ mark, text, view }: { mark: Mark; text: string; view: View }) {
  const { id, place, label, standing } = mark;
  const pick = () => view.pick({ id, place, on: 'pages' });
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <span
      role="button"
      tabIndex={0}
      class={`words ${standing.replace(' ', '-')}`}
      aria-pressed={view.picked?.id === id}
      title={label}
      data-mark={id}
      onClick={pick}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        // Picking moves the focus to a button, which the same key would press.
        event.preventDefault();
        pick();
      }}
    >
      {text}
    </span>
  );
}
