import { useState } from 'preact/hooks';

/** Asks once more before something is gone for good. */
export function DeleteButton({
  label,
  question,
  isBusy,
  remove,
}: {
  /** The question, for people who don't see it. */
  label: string;
  question: string;
  isBusy: boolean;
  remove: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <button type="button" class="quiet" disabled={isBusy} onClick={() => setAsking(true)}>
        Delete
      </button>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be drawn as a form's.
    <span role="group" class="asking" aria-label={label}>
      {question}{' '}
      <button type="button" class="quiet" disabled={isBusy} onClick={remove}>
        Erase for good
      </button>{' '}
      <button type="button" class="quiet" disabled={isBusy} onClick={() => setAsking(false)}>
        Keep
      </button>
    </span>
  );
}
