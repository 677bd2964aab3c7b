import { useEffect, useRef, useState } from 'preact/hooks';
import { Choices } from '../parts/choices.tsx';
import { Copy } from '../parts/copy.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { Scrolled } from '../parts/table.tsx';
import { chatRequest } from './chat-request.ts';
import { codeOf, languages } from './code.ts';
import { Composer } from './composer.tsx';
import { clear, draft, sessionId, turns } from './conversation.ts';
import { PastSessions } from './past-sessions.tsx';
import { models } from './settings.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { TurnView } from './turn-view.tsx';

/** A place to talk to a model. */
export function Playground() {
  const end = useRef<HTMLDivElement>(null);
  const length = turns.value.length;
  useEffect(() => {
    if (length > 0) end.current?.scrollIntoView({ block: 'nearest' });
  }, [length]);

  return (
    <>
      <div class="bar-of-choices">
        <h1>Playground</h1>
        <div class="actions">
          <PastSessions />
          <Quiet disabled={length === 0} onClick={clear}>
            New conversation
          </Quiet>
        </div>
      </div>
      <div class="playground">
        <SettingsPanel />
        <div class="conversation">
          {length === 0 && (
            <p class="empty">
              Ask something. The answer comes as it is written, with what it cost; images, texts and
              documents may be dropped into the message.
            </p>
          )}
          <ol class="turns">
            {turns.value.map((turn, index) => (
              <TurnView key={`${index}`} turn={turn} index={index} />
            ))}
          </ol>
          <Composer />
          <div ref={end} />
          <RequestCode />
        </div>
      </div>
    </>
  );
}

/** The next message as code that sends it. */
function RequestCode() {
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
