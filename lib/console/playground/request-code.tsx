import { useState } from 'preact/hooks';
import { Choices } from '../parts/choices.tsx';
import { Copy } from '../parts/copy.tsx';
import { Scrolled } from '../parts/scrolled.tsx';
import { chatRequest } from './chat-request.ts';
import { codeOf, languages } from './code.ts';
import { draft, sessionId, turns } from './conversation.ts';
import { models } from './settings.ts';

/** The next message as code that sends it. */
export function RequestCode() {
  const [language, setLanguage] = useState<(typeof languages)[number]>('curl');
  const message = draft.value.trim() || 'Hello';
  const request = chatRequest(message, turns.value, sessionId.value);
  const code = codeOf(language, request, turns.value.at(-1)?.model ?? models.value[0] ?? 'model');
  return (
    <details class="code">
      <summary>This request as code</summary>
      <div class="bar-of-choices">
        <Choices
          label="Language"
          of={languages.map((each) => [each, each] as const)}
          chosen={language}
          choose={setLanguage}
        />
        <Copy text={code} />
      </div>
      <Scrolled label="Code">
        <pre>
          <code>{code}</code>
        </pre>
      </Scrolled>
    </details>
  );
}
