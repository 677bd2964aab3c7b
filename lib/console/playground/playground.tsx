import { useEffect, useRef } from 'preact/hooks';
import { Composer } from './composer.tsx';
import { clear, turns } from './conversation.ts';
import { PastSessions } from './past-sessions.tsx';
import { RequestCode } from './request-code.tsx';
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
          <button type="button" class="quiet" disabled={length === 0} onClick={clear}>
            New conversation
          </button>
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
