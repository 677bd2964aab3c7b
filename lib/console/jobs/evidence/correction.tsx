import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../../parts/action.ts';
import { Failed } from '../../parts/failed.tsx';
import { Quiet } from '../../parts/quiet.tsx';
import { Select } from '../../parts/select.tsx';
import type { View } from './marks.ts';
import type { Scalar } from './schema-fields.ts';
import { rightValue } from './use-corrections.ts';
import type { Evidence, Value } from './values.ts';

/** The evidence of a value, and a form that confirms or corrects it. */
export function Correction({ value, view }: { value: Value; view: View }) {
  const { save, said } = view.corrections;
  const about = said.get(value.path);
  const right = about ? rightValue(value.value, about) : value.value;
  const [text, setText] = useState(right === null || right === undefined ? '' : String(right));
  const [isAbsent, setAbsent] = useState(right === null);
  const { problem, isBusy, act } = useAction();
  const [isSaved, setSaved] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.scrollIntoView({ block: 'nearest' }), []);
  const send = (rating: 'up' | 'down') =>
    act(async () => {
      setSaved(false);
      const correct = isAbsent ? null : valueIn(text, value.scalar);
      await save(value, { rating, correction: rating === 'up' ? '' : JSON.stringify(correct) });
      setSaved(true);
    });
  const submit = (event: Event) => {
    event.preventDefault();
    return send('down');
  };

  return (
    <form ref={form} class="correction" aria-label={`Correct ${value.name}`} onSubmit={submit}>
      <Proof evidence={value.evidence} />
      <Input scalar={value.scalar} text={text} isAbsent={isAbsent} onText={setText} />
      <label>
        <input
          type="checkbox"
          checked={isAbsent}
          onChange={({ currentTarget }) => setAbsent(currentTarget.checked)}
        />
        The document doesn’t give it
      </label>
      <Failed error={problem} />
      <div class="actions">
        <Quiet class="small" disabled={isBusy} onClick={() => send('up')}>
          Confirm as extracted
        </Quiet>
        <button type="submit" class="small" disabled={isBusy}>
          Save correction
        </button>
        {isSaved && <small role="status">Saved</small>}
      </div>
    </form>
  );
}

function Proof({ evidence }: { evidence: Evidence | undefined }) {
  if (!evidence) return <p class="note">No value was given for it.</p>;
  const { path, quote, page, found, confidence } = evidence;
  return (
    <div class="proof">
      {quote !== null && <q>{quote}</q>}
      <p class="note">
        {found === 'not found'
          ? 'These words stand on no page.'
          : [
              page !== null && `Page ${page}`,
              found === 'exact' ? 'word for word' : 'but for spelling',
              confidence !== null && `confidence ${Math.round(confidence * 100)}\u00a0%`,
            ]
              .filter(Boolean)
              .join(', ')}
      </p>
      {page !== null && (
        <Quiet class="small to-page" onClick={() => seeMark(path)}>
          See it on page {page}
        </Quiet>
      )}
    </div>
  );
}

/** Where the pages are above the values, one has to go there to see the place. */
const seeMark = (path: string) =>
  document.querySelector(`[data-mark="${CSS.escape(path)}"]`)?.scrollIntoView({ block: 'center' });

interface InputProps {
  scalar: Scalar;
  text: string;
  isAbsent: boolean;
  onText(text: string): void;
}

function Input({ scalar: { type, choices }, text, isAbsent, onText }: InputProps) {
  const options = type === 'boolean' ? [true, false] : choices;
  if (!options) {
    return (
      <label>
        Right value
        <input
          autocomplete="off"
          inputMode={type === 'string' ? 'text' : 'decimal'}
          disabled={isAbsent}
          required
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      </label>
    );
  }
  return (
    <Select
      label="Right value"
      of={['', ...options.map(String)]}
      chosen={text}
      choose={onText}
      disabled={isAbsent}
      required
    />
  );
}

/** Reads what was typed as the field's type has it. Throws an error that says what it takes. */
function valueIn(text: string, { type }: Scalar): unknown {
  if (type === 'boolean') return text === 'true';
  if (type !== 'number' && type !== 'integer') return text;
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) {
    throw new Error('It takes a number, such as 1184.5.');
  }
  if (type === 'integer' && !Number.isInteger(number)) throw new Error('It takes a whole number.');
  return number;
}
