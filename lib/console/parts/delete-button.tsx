import { useState } from 'preact/hooks';
import { Quiet } from './quiet.tsx';

/** Asks once more before something is gone for good. */
export function DeleteButton({
  label,
  question,
  isBusy,
  remove,
}: {
  /** The question, for screen readers. */
  label: string;
  question: string;
  isBusy: boolean;
  remove: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <Quiet disabled={isBusy} onClick={() => setAsking(true)}>
        Delete
      </Quiet>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be drawn as a form's.
    <span role="group" class="asking" aria-label={label}>
      {question}{' '}
      <Quiet disabled={isBusy} onClick={remove}>
        Erase for good
      </Quiet>{' '}
      <Quiet disabled={isBusy} onClick={() => setAsking(false)}>
        Keep
      </Quiet>
    </span>
  );
}
