import { useState } from 'preact/hooks';
import { refusal, useKey } from './key.ts';

const keyPattern = /^sk-[0-9A-Za-z]{43}$/;

/** Asks for the API key. */
export function KeyForm() {
  const [text, setText] = useState('');
  const [remember, setRemember] = useState(false);
  const [problem, setProblem] = useState<string>();
  const shown = problem ?? refusal.value;

  const submit = (event: Event) => {
    event.preventDefault();
    const key = text.trim();
    if (keyPattern.test(key)) useKey(key, remember);
    else setProblem('That is no API key: one has sk- and 43 letters and digits.');
  };

  return (
    <main class="key">
      <h1>Quire</h1>
      <p>
        With an API key you see what it has spent, what is left, and how its jobs do; and you talk
        to a model. <code>npm start</code> prints a link that has one; an operator issues others.
      </p>
      <form onSubmit={submit}>
        <label>
          API key
          <input
            type="password"
            name="api-key"
            autocomplete="off"
            spellcheck={false}
            placeholder="sk-…"
            required
            aria-invalid={shown ? true : undefined}
            aria-describedby="key-note"
            value={text}
            onInput={(event) => {
              setProblem(undefined);
              setText(event.currentTarget.value);
            }}
          />
        </label>
        <p id="key-note" role="status" class={shown ? 'problem' : 'note'}>
          {shown ?? 'It stays in this page, and is sent to the service alone.'}
        </p>
        <label>
          <input
            type="checkbox"
            checked={remember}
            onChange={(event) => setRemember(event.currentTarget.checked)}
          />
          Keep it until this tab is closed
        </label>
        <button type="submit">Open the console</button>
      </form>
    </main>
  );
}
