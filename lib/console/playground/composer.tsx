import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Quiet } from '../parts/quiet.tsx';
import { attach, attachmentProblem, attachments, detach } from './attachments.ts';
import { draft, send, stop, turns } from './conversation.ts';

/** Where a message is written, with the files that go with it. */
export function Composer() {
  const isOver = useSignal(false);
  const picker = useRef<HTMLInputElement>(null);
  const isRunning = turns.value.at(-1)?.state === 'running';

  const submit = (event: Event) => {
    event.preventDefault();
    const question = draft.value.trim();
    if (question === '' || isRunning) return;
    draft.value = '';
    send(question);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = false;
    attach([...(event.dataTransfer?.files ?? [])]);
  };

  return (
    <form
      class={isOver.value ? 'composer over' : 'composer'}
      onSubmit={submit}
      onDrop={drop}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => {
        isOver.value = false;
      }}
    >
      <label>
        <span class="unseen">Message</span>
        <textarea
          rows={3}
          placeholder="Message"
          value={draft.value}
          onInput={(event) => {
            draft.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
          }}
          onPaste={(event) => attach([...(event.clipboardData?.files ?? [])])}
        />
      </label>
      {attachments.value.length > 0 && (
        <ul class="attachments" aria-label="Attachments">
          {attachments.value.map((each) => (
            <li key={each.name}>
              {each.name}
              <Quiet class="small" aria-label={`Remove ${each.name}`} onClick={() => detach(each)}>
                ×
              </Quiet>
            </li>
          ))}
        </ul>
      )}
      {attachmentProblem.value && (
        <p class="problem" role="alert">
          {attachmentProblem.value}
        </p>
      )}
      <div class="actions">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={({ currentTarget }) => {
            attach([...(currentTarget.files ?? [])]);
            currentTarget.value = '';
          }}
        />
        <Quiet onClick={() => picker.current?.click()}>Attach</Quiet>
        <small class="hint">Enter sends, Shift+Enter begins a line.</small>
        {isRunning ? (
          <button type="button" class="send" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="send" disabled={draft.value.trim() === ''}>
            Send
          </button>
        )}
      </div>
    </form>
  );
}
