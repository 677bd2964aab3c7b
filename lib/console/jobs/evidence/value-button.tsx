import { Correction } from './correction.tsx';
import { buttonId, isPicked, type Place, type View } from './marks.ts';
import { rightValue, type ValueFeedback } from './use-corrections.ts';
import { standingOf, textOf, type Value } from './values.ts';

/** A value by its name; once picked, with what proves it and a form to correct it. */
export function ValueButton({ value, place, view }: { value: Value; place: Place; view: View }) {
  const isOpen = isPicked(view, value.path, place);
  return (
    <>
      <Pick value={value} place={place} view={view}>
        <span class="name">{value.name}</span>{' '}
      </Pick>
      {isOpen && <Correction value={value} view={view} />}
    </>
  );
}

/** The button that picks a value, and puts it back. */
export function Pick({
  value,
  place,
  view,
  children,
}: {
  value: Value;
  place: Place;
  view: View;
  children?: preact.ComponentChildren;
}) {
  const { path } = value;
  const standing = standingOf(value);
  const isOpen = isPicked(view, path, place);
  return (
    <button
      type="button"
      id={buttonId({ id: path, place })}
      class={`value ${standing.replace(' ', '-')}`}
      aria-expanded={isOpen}
      onClick={() => view.pick(isOpen ? undefined : { id: path, place, on: 'values' })}
    >
      {children}
      <Shown value={value.value} said={view.corrections.said.get(path)} />
      <Mark value={value} isShort={children === undefined} />
    </button>
  );
}

/** A value as it was extracted, or what it was corrected to. */
function Shown({ value, said }: { value: unknown; said: ValueFeedback | undefined }) {
  if (said?.rating === 'up') {
    return (
      <span class="told">
        {textOf(value)} <span class="confirmed">✓</span>
        <span class="unseen"> confirmed</span>
      </span>
    );
  }
  if (!said) return <span class="told">{textOf(value)}</span>;
  return (
    <span class="told">
      <del>{textOf(value)}</del> <span class="unseen">corrected to </span>
      <ins>{textOf(rightValue(value, said))}</ins>
    </span>
  );
}

/** Says in a word how far a value is proved. */
function Mark({ value, isShort }: { value: Value; isShort: boolean }) {
  const { evidence } = value;
  const standing = standingOf(value);
  if (standing === 'not found') return <small class="mark">not found</small>;
  if (standing === 'unsure') {
    return <small class="mark">{Math.round((evidence?.confidence ?? 0) * 100)}&nbsp;%</small>;
  }
  if (isShort) return null;
  return <small class="where">{evidence?.page ? `page ${evidence.page}` : 'not given'}</small>;
}
